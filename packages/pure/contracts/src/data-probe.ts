// What a probe of a corpus found: exact totals, and sums over a sample. A document's anchor is the smallest hash of its byte windows, so exact
// duplicates always share it and near-duplicates of similarity s with probability about s. The documents of one anchor are a cluster; a cluster
// is in the sample as a whole, with probability `share`. Sums are kept, not clusters: the size of a probe does not grow with the
// corpus. A separate entry point, as everything that loads zod.

import * as z from 'zod'

const count = z.int().nonnegative()
const amount = z.number().nonnegative()
const real = z.number()

/** Of 0 to 1, in steps of 0.05. */
export const SIMILARITY_BINS = 20
const MOST_STEPS = 100
const MOST_RULES = 200
const MOST_BINS = 200
const MOST_HEAVIEST = 100

const CORPUS = z
  .object({
    files: count,
    stored_bytes: amount.describe('As they lie in storage, compressed where they are'),
    documents: count,
    bytes: amount.describe('UTF-8 bytes of the text of all documents'),
    units: count.describe('Units of work: byte ranges, each done by one worker'),
    largestUnit_bytes: amount.describe('Stored bytes of the largest unit'),
    largestDocument_bytes: amount,
  })
  .readonly()
  .describe('All documents, exact')

const SIZES = z.object({ sum: amount, squares: amount.describe('Sum of the squares over clusters') }).readonly()

const LEFT = z
  .object({
    sum: real.describe('Over clusters, of what a step leaves'),
    squares: amount.describe('Sum of the squares over clusters'),
    products: real.describe('Sum over clusters of what is left times what went in at the beginning: documents by documents, else by bytes'),
  })
  .readonly()
  .describe('Weighted: a document that stands for removed near-duplicates counts 1 - sum(weight - 1) over them; a negative count is valid')

const FIGURES = z.object({ documents: amount, bytes: amount, tokens: amount.exactOptional() }).readonly()

const STEP = z
  .object({
    name: z.string().min(1).max(100).describe('As in the spec, unique in it'),
    kind: z.enum(['filter', 'dedupe', 'tokenize', 'other']).describe('Work of a dedupe step is done before and after all workers waited'),
    does: z.string().min(1).max(200).describe('What calibration knows its work by: the kind of step with a digest of its settings'),
    documents: count.describe('That the probe ran through it, unweighted, heavy ones included: with bytes and time_s this is its rate'),
    bytes: amount,
    time_s: amount.describe('Of one thread'),
    left: z
      .object({ documents: LEFT, bytes: LEFT, tokens: LEFT.exactOptional() })
      .readonly()
      .describe('Of the sample, without heavy clusters'),
    heavy: FIGURES.describe('Left of all heavy clusters'),
  })
  .readonly()

const DUPLICATES = z
  .object({
    bands: z.int().positive(),
    rows: z.int().positive(),
    exact: amount.describe('Documents of the sample removed as copies'),
    near: amount.describe('Documents of the sample removed as near-duplicates, weighted'),
    nearSpread: amount
      .exactOptional()
      .describe('One standard deviation, relative, of what a removed near-duplicate should count; none where weights are exact'),
    inPairs: amount.describe('Documents of the sample that share a key with another, weighted'),
    edges: amount.describe('Edges of the sample that the bands and the content hash give, weighted'),
    pairs: z
      .array(amount)
      .length(SIMILARITY_BINS)
      .readonly()
      .describe('Pairs that share an anchor but not all text, found by the bands or not, by similarity; each counts 1 / similarity'),
  })
  .readonly()
  .describe('Without heavy clusters')

const RULE = z
  .object({
    step: z.string(),
    rule: z.string(),
    keeps: z.enum(['at-least', 'at-most']),
    threshold: real,
    edges: z
      .array(real)
      .min(2)
      .max(MOST_BINS + 1)
      .readonly()
      .describe('Of the bins, ascending'),
    documents: z.array(amount).max(MOST_BINS).readonly().describe('Of the sample, that no other rule of the step drops, by value'),
    bytes: z.array(amount).max(MOST_BINS).readonly(),
  })
  .readonly()

const MACHINE = z
  .object({
    name: z.string().describe('What calibration knows it by'),
    cores: z.int().positive(),
    memory_bytes: amount,
    read_bytes_per_s: z.number().positive().describe('Stored bytes that one reader gets'),
    write_bytes_per_s: z.number().positive().exactOptional().describe('Bytes that one writer makes durable'),
    write_file_s: z.number().positive().exactOptional().describe('To make a small file durable'),
    match_bytes_per_s: z.number().positive().exactOptional().describe('Bytes of keys that one thread looks up in a table'),
    join_bytes_per_s: z.number().positive().exactOptional().describe('Bytes of edges that one thread joins to components'),
    peak_bytes: amount.describe('Resident memory of the probe at its largest'),
  })
  .readonly()

export const DATA_PROBE = z
  .object({
    apiVersion: z.literal('ironlaw/v1'),
    kind: z.literal('DataProbe'),
    spec: z.string().describe('Digest of the spec whose steps ran'),
    share: z.number().positive().max(1).describe('Probability of a cluster to be in the sample; 1 is all of them'),
    corpus: CORPUS,
    sample: z.object({ clusters: count, documents: SIZES, bytes: SIZES }).readonly().describe('Before any step, without heavy clusters'),
    heavy: z
      .object({
        clusters: count,
        documents: count,
        bytes: amount,
        heaviest: z
          .array(z.object({ anchor: z.string(), documents: count, bytes: amount }).readonly())
          .max(MOST_HEAVIEST)
          .readonly(),
      })
      .readonly()
      .describe('The clusters with the most bytes: counted exactly, not part of the sample'),
    reading: z
      .object({
        stored_bytes: amount,
        time_s: amount.describe('Of one thread: decompress and parse, without waiting for storage'),
        does: z.string().min(1).max(200).describe('What calibration knows it by: the formats of the files'),
        again: z.string().min(1).max(200).describe('And when records are read once more, after deduplication'),
      })
      .readonly(),
    steps: z.array(STEP).max(MOST_STEPS).readonly(),
    duplicates: DUPLICATES.exactOptional().describe('Where the spec removes near-duplicates'),
    repeats: z
      .object({ keys: amount.describe('That the passes note of the sample'), heavyKeys: amount.describe('And of heavy clusters') })
      .readonly()
      .exactOptional()
      .describe('Where the spec removes repeated text'),
    rules: z.array(RULE).max(MOST_RULES).readonly().exactOptional().describe('Rules whose threshold a what-if may move'),
    token_bytes: z
      .union([z.literal(2), z.literal(4)])
      .exactOptional()
      .describe('Of a token in the shards; 4 where a probe of an earlier release does not say'),
    machine: MACHINE,
    time_s: amount.describe('Wall-clock time of the probe'),
  })
  .readonly()
  .meta({ id: 'DataProbe' })

export type DataProbe = z.infer<typeof DATA_PROBE>
