// A plan of data preparation: what the steps of a spec will leave, how long they take and what they need, with 90 % intervals; and the figures of
// a finished pipeline, which are compared with it. A separate entry point, as everything that loads zod.

import * as z from 'zod'

const count = z.int().positive()
const amount = z.number().nonnegative()

const INTERVAL = z.object({ value: amount, low: amount, high: amount }).readonly().describe('Predicted, with its 90 % interval')

const LEFT = z
  .object({ step: z.string(), documents: INTERVAL, bytes: INTERVAL, tokens: INTERVAL.exactOptional() })
  .readonly()
  .describe('What a step leaves')

const BOTTLENECKS = [
  'cores',
  'storage',
  'largest unit',
  'clustering time',
  'clustering memory',
  'worker memory',
  'document numbers',
  'disk',
  'partition files',
  'start-up',
  'money',
] as const

const LIMIT = z
  .object({
    name: z.enum(BOTTLENECKS),
    share: amount.describe('Of the predicted time, or of the memory, disk or money that there is; above 1 the plan cannot run as it is'),
    detail: z.string().describe('The figures behind it, and what would move it'),
  })
  .readonly()

const PREDICTION = z
  .object({
    left: z.array(LEFT).readonly().describe('By step, in the order of the spec'),
    tokens: INTERVAL.exactOptional(),
    documents: INTERVAL,
    bytes: INTERVAL,
    duration_s: INTERVAL,
    causes_s: z
      .record(z.string(), INTERVAL)
      .readonly()
      .describe(
        'Wall-clock time by cause: wait (until workers run, and for the last of each pass), read, the name of each step, cluster, write',
      ),
    worker_bytes: INTERVAL.describe('Memory of one worker at its largest'),
    cluster_bytes: INTERVAL.describe('Memory of the one process that joins near-duplicates'),
    disk_bytes: INTERVAL.describe('Intermediate files at their largest, without source and result'),
    cost_usd: INTERVAL.exactOptional(),
    limits: z.array(LIMIT).readonly().describe('What binds, first the first bottleneck'),
    misses: z
      .object({
        threshold: z.number().min(0).max(1).describe('Similarity from which pairs are near-duplicates'),
        pairs: amount.describe('Pairs at or above it'),
        missed: amount.describe('Of these, that no band finds'),
        falseHits: amount.describe('Pairs below it that a band finds'),
      })
      .readonly()
      .exactOptional()
      .describe('Of near-duplicate removal, in expectation'),
  })
  .readonly()

const RATE = z
  .object({
    cause: z.string(),
    does: z.string().describe('What calibration knows it by'),
    bytes_per_s: z.number().positive().describe('Of one thread'),
    spread: amount.describe('One standard deviation, relative'),
    from: z.enum(['calibration', 'probe', 'assumed']),
    runs: count.exactOptional().describe('That calibration learned it from'),
  })
  .readonly()

/** Of a data pipeline, whatever its size: thousandths of the tasks of all passes. So the end is known before the sources are read. */
export const DATA_RUN_STEPS = 1000

export const DATA_PLAN = z
  .object({
    apiVersion: z.literal('ironlaw/v1'),
    kind: z.literal('Data'),
    id: z.string(),
    name: z.string(),
    spec: z.string().describe('Digest of the spec'),
    workers: count,
    machine: z.string().describe('What calibration knows it by'),
    corpus: z.object({ files: amount, stored_bytes: amount, documents: amount, bytes: amount }).readonly(),
    share: z.number().positive().max(1).describe('Of the clusters, that the probe ran through the steps'),
    rates: z.array(RATE).readonly().default([]).describe('That the time was predicted from; plans of earlier releases do not say'),
    prediction: PREDICTION,
  })
  .readonly()
  .meta({ id: 'DataPlan' })

export const DATA_RUN_FIGURES = z
  .object({
    left: z
      .array(z.object({ step: z.string(), documents: amount, bytes: amount, tokens: amount.exactOptional() }).readonly())
      .readonly()
      .describe('By step, in the order of the spec'),
    duration_s: amount,
    causes_s: z
      .record(z.string(), amount)
      .readonly()
      .describe(
        'Wall-clock time by the causes of the plan; and recovery, from the last task done before processes were lost until others began',
      ),
    work: z
      .array(
        z
          .object({
            step: z.string(),
            does: z
              .string()
              .default('')
              .describe(
                'What calibration knows it by: steps of other settings and files of other formats have other rates; empty in figures of earlier releases',
              ),
            bytes: amount,
            time_s: amount.describe('Of all threads together'),
          })
          .readonly(),
      )
      .readonly()
      .describe('What calibration learns rates from; "read" counts stored bytes, steps count bytes of text'),
    machine: z.string().exactOptional().describe('What calibration knows it by; none where workers ran on several kinds'),
    worker_bytes: amount.describe('Largest resident memory of a worker'),
    cluster_bytes: amount.exactOptional(),
    disk_bytes: amount,
    cost_usd: amount.exactOptional(),
  })
  .readonly()
  .meta({ id: 'DataRunFigures' })

export type DataInterval = z.infer<typeof INTERVAL>
export type DataPlan = z.infer<typeof DATA_PLAN>
export type DataLimit = z.infer<typeof LIMIT>
export type DataRunFigures = z.infer<typeof DATA_RUN_FIGURES>
