// What `ironlaw release check` found, as a file that a decision can name as evidence: each gate with its verdict, what was measured against which limit,
// and the files that it rests on. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import { RELEASE_WAIVER } from './release-spec.ts'

export const RELEASE_FILE = 'release.json'

export const GATE_STATES = ['passed', 'refused', 'undecided', 'waived'] as const

export type GateState = (typeof GATE_STATES)[number]

const RELEASE_ANSWERS = ['release', 'refuse', 'undecided'] as const

export type ReleaseAnswer = (typeof RELEASE_ANSWERS)[number]

const name = z.string().min(1).max(1000)
const sentence = z.string().max(100_000)
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'expected a digest of 64 hexadecimal digits')

/** More parts of an evaluation are summed up by its reason. */
export const MOST_GATE_FIGURES = 100

/** What a gate measured. The interval is at the risks of the release: each end is passed by chance alone that often. */
const GATE_FIGURE = z.object({
  name,
  unit: z.enum(['share', 'difference', 'ratio', 'ms', 'bytes']).describe('share: of 1. difference: of two shares or scores'),
  value: z.number(),
  low: z.number().exactOptional(),
  high: z.number().exactOptional(),
  at_least: z.number().exactOptional().describe('Limit'),
  at_most: z.number().exactOptional().describe('Limit'),
  cases: z.int().nonnegative().exactOptional().describe('Items or cases that it rests on'),
})

const EVIDENCE_FILE = z.object({
  path: name.describe('As the spec names it, relative to the spec'),
  sha256: digest.exactOptional().describe('Absent where the path is no single file, such as a directory of training data'),
})

const JUDGED_GATE = z.object({
  gate: name,
  kind: name,
  state: z.enum(GATE_STATES),
  why: sentence,
  would_change: sentence.describe('What would have changed the verdict'),
  figures: z.array(GATE_FIGURE).max(MOST_GATE_FIGURES),
  evidence: z.array(EVIDENCE_FILE).max(1000),
  waiver: RELEASE_WAIVER.exactOptional().describe('The one that holds, or one that has ended'),
})

/** Anybody may have written the file: its answer must be that of its gates. */
export const RELEASE_RECORD = z
  .object({
    apiVersion: z.literal('ironlaw/v1'),
    kind: z.literal('ReleaseCheck'),
    name,
    version: name.describe('Id of the version in its model-version.json'),
    checked_at: z.number().nonnegative().max(1e11).describe('Seconds since 1970-01-01 UTC'),
    answer: z.enum(RELEASE_ANSWERS),
    risk: z.object({ false_block: z.number(), miss: z.number() }),
    spec: EVIDENCE_FILE,
    gates: z.array(JUDGED_GATE).min(1).max(100),
  })
  .refine(({ answer, gates }) => answer === releaseAnswer(gates.map(({ state }) => state)), {
    path: ['answer'],
    message: 'is not what its gates say',
  })

export type GateFigure = z.output<typeof GATE_FIGURE>
export type EvidenceFile = z.output<typeof EVIDENCE_FILE>
export type ReleaseRecord = z.output<typeof RELEASE_RECORD>

/** Undecided is an answer of its own, and no reason to release. */
export function releaseAnswer(states: readonly GateState[]): ReleaseAnswer {
  if (states.includes('refused')) return 'refuse'
  return states.includes('undecided') ? 'undecided' : 'release'
}

/** @throws with the first field that is not as it must be */
export function parseReleaseRecord(value: unknown): ReleaseRecord {
  const read = RELEASE_RECORD.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new Error(`it is not a record of "ironlaw release check": ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? ''}`)
}
