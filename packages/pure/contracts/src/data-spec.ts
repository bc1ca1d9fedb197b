// What a person writes to have a dataset made: `kind: Data`. Sources and the steps that their documents go through, in this order. A separate
// entry point, as everything that loads zod.

import * as z from 'zod'
import { ARTIFACT_REFERENCE } from './artifact.ts'
import { canonicalJson } from './canonical-json.ts'
import { sha256 } from './sha256.ts'
import { count, name, parseSpec, quantityText, type SpecFormat } from './spec-format.ts'

export const DATA_FORMATS = ['jsonl', 'json', 'parquet', 'warc', 'text'] as const
export type DataFormat = (typeof DATA_FORMATS)[number]

export const QUALITY_RULE_SETS = ['gopher-quality', 'gopher-repetition', 'c4', 'c4-any-line-end', 'fineweb'] as const

export const PRIVATE_DATA_KINDS = ['email', 'ip', 'phone', 'card', 'api-key'] as const

const MOST_STEPS = 50
const shortName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'lower-case letters, digits, dots, hyphens and underscores, at most 63')
const share = z.number().min(0).max(1)
const pattern = z
  .string()
  .max(1000)
  .refine((text) => isPattern(text), 'is not a regular expression')

const source = z
  .strictObject({
    name: shortName.describe('What the source is called in samples, figures and mixtures'),
    files: z
      .string()
      .min(1)
      .describe('A file, a directory or a pattern with * and **, relative to this file')
      .meta({ examples: ['raw/web-*.jsonl.zst'] })
      .exactOptional(),
    artifact: ARTIFACT_REFERENCE.describe('Alternatively an artifact whose files are read').exactOptional(),
    format: z
      .enum(DATA_FORMATS)
      .describe('As the names of the files say when left out; json is one array a file, or an object a line')
      .exactOptional(),
    text: name('Field that holds the text').default('text'),
    origin: z.enum(['real', 'synthetic']).describe('Who wrote it: people, or a model').default('real'),
    generation: z
      .int()
      .nonnegative()
      .max(1000)
      .describe('Synthetic text made from real text is generation 1, from that again 2')
      .default(0),
  })
  .refine(({ files, artifact }) => (files === undefined) !== (artifact === undefined), {
    path: ['files'],
    message: 'either files or an artifact is needed, and not both',
  })
  .refine(({ origin, generation }) => (origin === 'synthetic') === generation > 0, {
    path: ['generation'],
    message: 'is 0 for real and at least 1 for synthetic text',
  })

const field = z.strictObject({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object']).exactOptional(),
  required: z.boolean().default(true).describe('Whether a record without it violates the contract'),
  least: z.number().describe('Smallest number, or fewest characters or elements').exactOptional(),
  most: z.number().describe('Largest number, or most characters or elements').exactOptional(),
  matches: pattern.describe('Regular expression that a string must match').exactOptional(),
  without: pattern.describe('Regular expression that a string must not match').exactOptional(),
  oneOf: z
    .array(z.union([z.string(), z.number(), z.boolean()]))
    .min(1)
    .max(1000)
    .describe('All values that are allowed')
    .exactOptional(),
})

const statistic = z.strictObject({
  field: name('Field that is measured: a number, or the characters of a string'),
  mean: z.tuple([z.number(), z.number()]).describe('Smallest and largest mean of a source').exactOptional(),
  missing: share.describe('Largest share of records of a source without the field').exactOptional(),
})

const expect = z.strictObject({
  fields: z.record(z.string().min(1).max(200), field).default({}).describe('Rules for each record, by field'),
  statistics: z.array(statistic).max(100).default([]).describe('Rules for each source as a whole'),
  violations: z
    .union([z.literal('stop'), share])
    .default('stop')
    .describe('"stop" at the first record that violates the rules, or the share of each source that may be set aside before it stops'),
})

const keep = z
  .strictObject({
    languages: z
      .array(z.string().regex(/^[a-z]{2,3}$/, 'expected a code of ISO 639 such as en'))
      .min(1)
      .max(200)
      .exactOptional(),
    certainty: share.default(0.5).describe('Least certainty of the language'),
    quality: z.array(z.enum(QUALITY_RULE_SETS)).min(1).exactOptional().describe('Published sets of rules that a document must pass'),
  })
  .refine(({ languages, quality }) => languages !== undefined || quality !== undefined, {
    path: ['quality'],
    message: 'languages or quality is needed',
  })

const deduplicate = z.strictObject({
  similarity: z
    .number()
    .gt(0)
    .max(1)
    .default(0.8)
    .describe('Documents this similar are found with a probability of at least 0.9 by their sets of word runs; 1 for equal text only'),
  words: count('Words of a run').max(20).default(5),
  substrings: z
    .int()
    .min(10)
    .max(1000)
    .describe(
      'Besides, so many words in a row stay in one place of the corpus, the first: elsewhere they are cut out, and documents of which fewer than five words are left are dropped. Not done when left out',
    )
    .meta({ examples: [50] })
    .exactOptional(),
})

const without = z.strictObject({
  items: z.string().min(1).describe('JSON lines with the items of an evaluation: a file or a pattern, relative to this file'),
  fields: z.array(z.string().min(1)).min(1).exactOptional().describe('Fields of an item that must not appear; all strings when left out'),
})

const redact = z.strictObject({
  kinds: z
    .array(z.enum(PRIVATE_DATA_KINDS))
    .min(1)
    .default([...PRIVATE_DATA_KINDS]),
})

const program = z.strictObject({
  command: z
    .array(z.string().min(1))
    .min(1)
    .describe(
      'Words of a command. It reads documents as JSON lines and answers each with a line: {"keep": true} or {"keep": false, "why": "..."}',
    )
    .meta({ examples: [['python3', 'toxicity.py']] }),
})

const tokenize = z.strictObject({
  tokenizer: z.string().min(1).describe("A model's tokenizer.json with byte-pair encoding, relative to this file"),
  sequence: count('Tokens of a sample').default(2048),
  separator: z
    .string()
    .min(1)
    .describe('Token that ends a document')
    .meta({ examples: ['<|endoftext|>'] }),
})

const step = z
  .strictObject({
    expect: expect.describe('A contract with the sources').exactOptional(),
    keep: keep.describe('Only documents in these languages that pass these rules').exactOptional(),
    filter: program.describe('A program of your own decides').exactOptional(),
    deduplicate: deduplicate.describe('Of each group of alike documents one is kept').exactOptional(),
    without: without.describe('No documents that hold items of an evaluation').exactOptional(),
    redact: redact.describe('Personal data and secrets are replaced by their kind').exactOptional(),
    sample: z.record(shortName, share).describe('Share of each source that is kept; all of a source that is not named').exactOptional(),
    tokenize: tokenize.describe('Tokens in shuffled shards, as the loader reads them').exactOptional(),
  })
  .superRefine((written, context) => {
    const names = Object.keys(written)
    if (names.length !== 1)
      context.addIssue({
        code: 'custom',
        message: `exactly one step is expected here, found ${names.length === 0 ? 'none' : names.join(', ')}`,
      })
  })

const resources = z
  .strictObject({
    nodes: count('Nodes that the processes of a run are divided among').default(1),
    memory: quantityText('B', 'Memory of the host on each node; as the cluster decides when left out', '64 GB').exactOptional(),
  })
  .describe('What a run on the fleet needs; one node when left out')

const SPEC = z
  .strictObject({
    apiVersion: z.literal('ironlaw/v1').describe('Version of this format'),
    kind: z.literal('Data').describe('A dataset, made from sources in steps'),
    name: shortName.describe('Name of the dataset'),
    from: z.array(source).min(1).max(1000),
    steps: z.array(step).max(MOST_STEPS).default([]),
    seed: z.int().nonnegative().default(1).describe('Another seed draws another sample and shuffles differently'),
    project: name('Whom the run is accounted to').default('default'),
    workers: count('Processes; when left out as many as this machine has cores, and one on each node of a run')
      .max(100_000)
      .exactOptional(),
    resources: resources.exactOptional(),
  })
  .superRefine(checkSpec)
  .meta({ title: 'Ironlaw data spec', description: 'A dataset, made from sources in steps: kind Data of ironlaw/v1' })

type WrittenSpec = { readonly from: readonly z.output<typeof source>[]; readonly steps: readonly z.output<typeof step>[] }

function checkSpec({ from, steps }: WrittenSpec, context: z.RefinementCtx): void {
  const refuse = (path: (string | number)[], message: string): void => context.addIssue({ code: 'custom', path, message })
  const sources = from.map((each) => each.name)
  for (const [index, each] of sources.entries())
    if (sources.indexOf(each) < index) refuse(['from', index, 'name'], `"${each}" is there twice`)
  for (const [index, each] of steps.entries()) {
    const last = steps.slice(0, index).some((earlier) => earlier.tokenize !== undefined)
    if (each.expect && index > 0) refuse(['steps', index, 'expect'], 'the contract with the sources is the first step')
    if (last) refuse(['steps', index], 'comes after tokenize, which is the last step')
    if (each.deduplicate && steps.slice(0, index).some((earlier) => earlier.deduplicate))
      refuse(['steps', index, 'deduplicate'], 'documents are deduplicated already; a second time is not possible')
    for (const unknown of Object.keys(each.sample ?? {}).filter((sampled) => !sources.includes(sampled)))
      refuse(['steps', index, 'sample', unknown], `there is no source "${unknown}"; the sources are ${sources.join(', ')}`)
  }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    // Whoever asks says so.
    return false
  }
}

const FORMAT: SpecFormat<typeof SPEC> = {
  schema: SPEC,
  fields: {
    '': Object.keys(SPEC.shape),
    resources: Object.keys(resources.shape),
    'from.*': Object.keys(source.shape),
    'steps.*': Object.keys(step.shape),
    'steps.*.expect': Object.keys(expect.shape),
    'steps.*.keep': Object.keys(keep.shape),
    'steps.*.deduplicate': Object.keys(deduplicate.shape),
    'steps.*.without': Object.keys(without.shape),
    'steps.*.tokenize': Object.keys(tokenize.shape),
  },
}

export type DataSpec = z.output<typeof SPEC>
export type DataSource = DataSpec['from'][number]
export type DataStep = DataSpec['steps'][number]
export type DataContract = NonNullable<DataStep['expect']>

/** The name of each step is its one field; the second of a kind is `keep-2`. */
export function stepNames(steps: readonly DataStep[]): readonly string[] {
  const kinds = steps.map((each) => Object.keys(each)[0] as string)
  return kinds.map((kind, place) => {
    const nth = kinds.slice(0, place + 1).filter((each) => each === kind).length
    return nth === 1 ? kind : `${kind}-${nth}`
  })
}

/** A spec as read from YAML or JSON, checked. */
export const parseDataSpec = (value: unknown, file: string): DataSpec => parseSpec(FORMAT, value, file)

/** Of what the dataset depends on: neither who does it nor on how many machines. */
export const dataSpecDigest = ({ apiVersion, kind, name, from, steps, seed }: DataSpec): string =>
  sha256(canonicalJson({ apiVersion, kind, name, from, steps, seed }))

/** The JSON Schema for editors, of what may be written: fields with a default may be left out. */
export const dataSpecSchema = (): z.core.JSONSchema.BaseSchema => z.toJSONSchema(SPEC, { io: 'input' })
