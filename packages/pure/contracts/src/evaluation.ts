// What an evaluation came to: evaluation.json, beside results.jsonl with a line for each item. The instrument is everything but the model that
// a score depends on; two evaluations are compared only where it is the same. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import { canonicalJson } from './canonical-json.ts'
import { sha256 } from './sha256.ts'

export const EVALUATION_FILE = 'evaluation.json'
/** Of the first repeat. */
export const RESULTS_FILE = 'results.jsonl'

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'expected a digest of 64 hexadecimal digits')
const text = z.string().min(1).max(10_000)
const count = z.int().nonnegative()

const INSTRUMENT = z.strictObject({
  engine: text.describe('As the engine calls itself'),
  version: text.exactOptional(),
  quantization: text.exactOptional(),
  context_tokens: z.int().positive().exactOptional(),
  tokenizer: digest.describe('Of tokenizer.json and the prefix').exactOptional(),
  template: z.enum(['none', 'chat']),
  system: text.exactOptional(),
  sandbox: z
    .strictObject({
      interpreter: text.describe('As it calls itself, with its version'),
      packages: digest.describe('Of the packages that it brings along, with their versions'),
      time_s: z.number().positive(),
      memory_bytes: z.int().positive(),
      processes: z.int().positive(),
      output_bytes: z.int().positive(),
    })
    .describe('Where the programs of task program ran')
    .exactOptional(),
  judge: z
    .strictObject({
      engine: text,
      version: text.exactOptional(),
      model: text,
      weights: text.exactOptional(),
      quantization: text.exactOptional(),
      prompt: text,
    })
    .describe('The model that judged, and what it was told')
    .exactOptional(),
  sampling: z
    .strictObject({ temperature: z.number().exactOptional(), top_p: z.number().exactOptional(), seed: count.exactOptional() })
    .describe('What an imported log does not say is left out'),
  harness: z
    .strictObject({ program: text, version: text, settings: digest.describe('Of the task as the program was told to ask it') })
    .describe('The program that asked and scored, where it was another')
    .exactOptional(),
  task: text,
  metric: text,
  scoring: z.int().positive().describe('Version of the scoring'),
})

const INTERVAL = z.strictObject({ value: z.number(), low: z.number(), high: z.number() }).describe('90 % interval')

const JUDGE = z.strictObject({
  labelled: z.strictObject({ right: count, wrong: count }).describe('Answers that a person had called so'),
  agreement: INTERVAL.describe('Share of those that it calls the same').exactOptional(),
  sensitivity: INTERVAL.describe('Of right answers, those that it calls right').exactOptional(),
  specificity: INTERVAL.describe('Of wrong answers, those that it calls wrong').exactOptional(),
  position: INTERVAL.describe('Share of answers whose verdict changes when answer and reference change places').exactOptional(),
  corrected: INTERVAL.describe("Share of right answers, with the judge's errors taken out").exactOptional(),
  refused: text.describe('Why nothing is said of it').exactOptional(),
})

const SLICE = z.strictObject({ slice: text, value: z.string(), items: count, score: INTERVAL })

const SEQUENTIAL = z
  .strictObject({
    against: z
      .strictObject({ model: text, results: digest.describe('Of its results.jsonl') })
      .describe('The evaluation that it was judged against'),
    stage: z.int().positive().describe('After which it ended'),
    asked: z.int().positive().describe('Items that its verdict and its scores are of: fewer than there are where it stopped'),
    margin: z.number(),
    risk: z.strictObject({ false_block: z.number(), miss: z.number() }),
    looks: z.int().positive(),
    verdict: z.enum(['better', 'as-good', 'worse', 'undecided']),
    difference: z
      .strictObject({ value: z.number(), low: z.number(), high: z.number() })
      .describe('Of all items asked, with the bounds of the stage: they hold for all stages together'),
  })
  .describe('That it might stop before all items were asked, and where it did')

export const EVALUATION = z.strictObject({
  apiVersion: z.literal('ironlaw/v1'),
  kind: z.literal('Evaluation'),
  name: text,
  model: z.strictObject({ id: text, weights: text.describe('Digest, where the engine says it').exactOptional() }),
  items: z.strictObject({ digest, count: z.int().positive() }),
  instrument: INSTRUMENT,
  instrument_digest: digest,
  results: digest.describe('Of results.jsonl'),
  score: INTERVAL,
  metrics: z.record(text, INTERVAL),
  slices: z.array(SLICE),
  judge: JUDGE.exactOptional(),
  sequential: SEQUENTIAL.exactOptional(),
  repeats: z.strictObject({
    count: z.int().positive(),
    differing: z.number().min(0).max(1).describe('Share of the items whose score differs between two repeats').exactOptional(),
  }),
  tokens_in: count,
  tokens_out: count,
  time_s: z
    .number()
    .nonnegative()
    .describe('Wall time of all repeats; of items from before an interruption, their own time divided by the concurrency')
    .exactOptional(),
  concurrency: z
    .int()
    .positive()
    .describe('Items asked at once; like the time left out where an imported log does not say it')
    .exactOptional(),
  memory_bytes: count
    .describe('Most memory that the process of the engine held so far, where it says so; that of devices not counted')
    .exactOptional(),
})

export type Evaluation = z.output<typeof EVALUATION>
export type Instrument = Evaluation['instrument']
export type EvaluationJudge = z.output<typeof JUDGE>
export type EvaluationInterval = z.output<typeof INTERVAL>

/** Items that the scores are of. */
export const itemsAsked = ({ items, sequential }: Evaluation): number => sequential?.asked ?? items.count

export const instrumentDigest = (instrument: Instrument): string => sha256(canonicalJson(instrument))
