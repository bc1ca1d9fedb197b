// Whether storage and loaders keep up with the steps of a plan: what is read per second, by how many workers, how far ahead, and what a step
// waits for data. A sample is a window of tokens in a file that is memory-mapped, so reading one costs a random read.

import { type Catalog, entry } from '@ironlaw/catalog'
import type { TrainingPlan } from '@ironlaw/contracts'
import { loaderWorkers, prefetchDepth } from '@ironlaw/laws/data/input-pipeline'
import { bare } from '@ironlaw/laws/law'

export type Feeding = {
  /** Id of the catalog. */
  readonly storage: string
  /** Of all readers together. */
  readonly bytes_per_s: number
  /** Of what the storage gives them together. */
  readonly share: number
  /** Processes that read: one for each data-parallel rank. */
  readonly readers: number
  readonly samples: number
  readonly read_s: number
  /** One of a hundred batches takes longer than this to read. */
  readonly slow_s: number
  readonly workers: number
  readonly prefetch: number
  /** What a step waits for data on average. */
  readonly stall_s: number
}

/** The slowest of a hundred reads against the median: 10 ms against 1 ms in table 1 of J. Dean, L. A. Barroso, The Tail at Scale, 2013. */
const SLOW_READ = 10
/** More would take the host's cores from the trainer. */
const MOST_WORKERS = 16
/** Vocabularies above this need four bytes a token. */
const SHORT_TOKENS = 65_536

const workersOf = bare(loaderWorkers)
const depthOf = bare(prefetchDepth)

/** Processor time of `ironlaw.data` for a sample: 54, 43 and 62 us measured for 512, 2,048 and 8,192 tokens (Python 3.11, PyTorch 1.13, one Xeon core). */
const SAMPLE_CPU_S = { fixed: 45e-6, perToken: 2e-9 }

export function feedingForecast(catalog: Catalog, plan: TrainingPlan, storage = 'parallel-lustre'): Feeding {
  const { facts } = entry(catalog, 'storage', storage)
  const { sequence, globalBatch, decision, fleet, model } = plan
  const step_s = plan.prediction.step_s
  const readers = decision.data
  const samples = globalBatch / readers
  const bytes = (sequence + 1) * (model.vocabulary > SHORT_TOKENS ? 4 : 2)
  const bytes_per_s = (globalBatch * bytes) / step_s
  const nodes = Math.min(readers, Math.ceil(fleet.devices / fleet.perNode))
  const given = Math.min(facts.aggregate?.read.value ?? Infinity, nodes * facts.perClient.read.value)
  const read_s = facts.latency.value + bytes / facts.perClient.read.value + SAMPLE_CPU_S.fixed + SAMPLE_CPU_S.perToken * sequence
  const workers = Math.min(MOST_WORKERS, workersOf({ samples, readTime: read_s, stepTime: step_s }))
  const slow_s = (samples * read_s) / workers + SLOW_READ * facts.latency.value
  return {
    storage,
    bytes_per_s,
    share: bytes_per_s / given,
    readers,
    samples,
    read_s,
    slow_s,
    workers,
    prefetch: depthOf({ slowRead: slow_s, stepTime: step_s }),
    // Reading goes on beside the step: it costs what it takes longer.
    stall_s: Math.max(0, Math.max((samples * read_s) / workers, (globalBatch * bytes) / given) - step_s),
  }
}

/** Of all steps of a plan, for the ledger to compare with. */
export const expectedStall = (catalog: Catalog, plan: TrainingPlan): number =>
  feedingForecast(catalog, plan).stall_s * Math.ceil(plan.tokens / (plan.sequence * plan.globalBatch))
