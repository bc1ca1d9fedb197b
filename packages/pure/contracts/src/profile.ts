// A profile: how often requests and answers had which lengths, scripts, endings. Only counts in bins that are the same everywhere, so that the
// profiles of two gateways, hours or files add up to exactly the one of both, in any order. No text is in it, and no value that a person could have
// chosen freely: words are counted by a closed list or by the bucket of their hash. A field that is not known here, as a newer gateway may have it, is
// dropped with whatever it holds. A separate entry point, as everything that loads zod.

import * as z from 'zod'

const total = z.int().nonnegative()

/** Bins of a number to a factor of e: neighbours differ by 0.8 %. */
export const BINS_PER_E = 128
/** Numbers nearer to zero are counted as zero. */
export const LEAST_NUMBER = 1e-9
export const MOST_NUMBER = 1e12
const MOST_BIN = Math.ceil(BINS_PER_E * Math.log(MOST_NUMBER / LEAST_NUMBER))

/** More are counted as `other`. */
export const MOST_WORDS = 64

const WORD = z.string().regex(/^[a-z0-9#][a-z0-9_-]{0,31}$/, 'expected a word of a closed list, or the bucket of a hash')

const NUMBERS = z.object({
  kind: z.literal('numbers'),
  bins: z
    .record(
      z
        .string()
        .regex(/^(?:0|-?[1-9]\d{0,4})$/)
        .refine((bin) => Math.abs(Number(bin)) <= MOST_BIN, `beyond bin ${MOST_BIN}`),
      total,
    )
    .describe(
      'Counts by bin: 0 is zero, a positive bin i ends at 1e-9 exp(i / 128), a negative one is that of the number without its sign',
    ),
})

const WORDS = z.object({
  kind: z.literal('words'),
  counts: z
    .record(WORD, total)
    .refine((counts) => Object.keys(counts).length <= MOST_WORDS + 1, `more than ${MOST_WORDS} words`)
    .describe('Counts by word'),
})

export const SKETCH = z.discriminatedUnion('kind', [NUMBERS, WORDS])

const FEATURE_NAME = z.string().regex(/^[A-Za-z0-9_][\w.-]{0,99}$/, 'letters, digits, dots, hyphens and underscores, at most 100')

/** Features of a profile. */
export const MOST_FEATURES = 500

export const PROFILE = z
  .object({
    rows: total.describe('Answers, or rows of a file'),
    features: z
      .record(FEATURE_NAME, SKETCH)
      .refine((features) => Object.keys(features).length <= MOST_FEATURES, `more than ${MOST_FEATURES} features`)
      .describe('By feature; some are taken of a sample, so their counts may add up to less than rows'),
  })
  .meta({ id: 'Profile' })

export type Profile = z.output<typeof PROFILE>
export type Sketch = z.output<typeof SKETCH>

/** What gateways count, in the order in which it is shown. */
export const SERVED_FEATURES = {
  'prompt-tokens': 'Tokens of the prompt',
  'answer-tokens': 'Tokens of the answer',
  ending: 'Why the answer ended, as the engine says',
  tools: 'Whether tools were offered and called',
  'prompt-script': 'Script of the last message',
  'answer-script': 'Script of the answer',
  'answer-language': 'Language of the answer',
  refusal: 'Whether the answer begins as a refusal does',
  'log-probability': 'Mean of the log-probabilities of an answer, where the client asked for them; without its sign',
  'embedding-1': 'Where an embedding lies on a fixed direction; the standard normal distribution where they point anywhere',
  'embedding-2': 'The same on a second direction',
  'embedding-3': 'On a third',
  'embedding-4': 'On a fourth',
} as const satisfies Readonly<Record<string, string>>

/** Control characters are in no name, and the database refuses some of them. */
export const PRINTABLE = /^[^\p{Cc}\p{Cs}]+$/u

const name = (most: number) => z.string().max(most).regex(PRINTABLE, 'expected text without control characters')

/** A profile of an hour, of one revision and one class of tenants, as one process of a gateway counted it. */
export const PROFILE_WINDOW = z.object({
  pool: name(200).describe('DEPLOYMENT@REVISION'),
  class: name(63).describe('Of the tenants that asked'),
  hour: z.int().nonnegative().max(10_000_000).describe('Hours since 1970-01-01 UTC'),
  profile: PROFILE,
})

/** As many as fit into 4 MiB; a gateway with more sends them in turns. */
export const MOST_WINDOWS = 200

/** Totals of each window since the gateway's process started, so that a lost or repeated message changes nothing. */
export const PROFILE_REPORT = z
  .object({
    boot: name(200).describe('Identifies the process of the gateway'),
    windows: z.array(PROFILE_WINDOW).max(MOST_WINDOWS),
  })
  .meta({ id: 'ProfileReport' })

export type ProfileWindow = z.output<typeof PROFILE_WINDOW>
export type ProfileReport = z.output<typeof PROFILE_REPORT>
