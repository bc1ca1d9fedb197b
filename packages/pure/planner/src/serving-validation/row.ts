// Published serving results as facts/serving-runs states them, and the published configurations behind the InferenceX points.

import type { EngineName } from '../serving/engine-runtime.ts'
import type { Layout } from '../serving/layout.ts'
import type { CachePrecision, ServingPrecisionName } from '../serving/precision.ts'
import bundle from './serving-runs.generated.json' with { type: 'json' }

export type Split = 'calibration' | 'heldout'

type PublishedLoad =
  /** So many requests at once, start to end. */
  | { readonly kind: 'batch'; readonly size: number }
  | { readonly kind: 'rate'; readonly requests_per_s: number }
  | { readonly kind: 'concurrency'; readonly size: number }
  /** All requests queued before the start, so many that the start and the end do not count. */
  | { readonly kind: 'offline' }
  | SimulatedLoad
  /** Prompts only, as many as the devices take. */
  | { readonly kind: 'prefill' }

/** What no steady state describes; a simulation does. */
export type SimulatedLoad =
  /** So many requests queued before the start, measured from the start to the end of the last. */
  | { readonly kind: 'drain'; readonly requests: number }
  /** Requests at random times, for one replica. */
  | { readonly kind: 'poisson'; readonly requests_per_s: number }

export type PublishedPercentiles = { readonly p50: number; readonly p99: number }

export type MetricValues = {
  readonly ttft_s?: number
  readonly tpot_s?: number
  readonly output_tokens_per_s?: number
  readonly input_tokens_per_s?: number
}

type RunDescription = {
  readonly id: string
  readonly split: Split
  readonly year: number
  readonly model: string
  readonly accelerator: string
}

type UsableRun = RunDescription & {
  readonly usable: true
  readonly layout: Layout
  readonly precision: ServingPrecisionName
  readonly cache: CachePrecision
  readonly engine: EngineName
  readonly input: number
  readonly output: number
  readonly load: PublishedLoad
  readonly measured: MetricValues
  readonly percentiles?: { readonly ttft_s: PublishedPercentiles; readonly tpot_s: PublishedPercentiles }
  /** Where the links are not those of the accelerator that stands for it: one direction, per device. */
  readonly link_bytes_per_s?: number
  readonly note?: string
}

type UnusableRun = RunDescription & { readonly usable: false; readonly why: string }

export type PublishedRun = (UsableRun | UnusableRun) & { readonly source: string }

/** One side of a deployment: instances, and in each the ranks of attention and experts. */
export type PublishedSide = {
  readonly workers: number
  readonly tensor: number
  readonly expert: number
  readonly attentionData: boolean
}

export type PublishedLayout = {
  readonly model: string
  readonly system: string
  readonly precision: string
  readonly engine: string
  readonly input: number
  readonly output: number
  readonly speculative: boolean
  readonly concurrency: readonly number[]
  readonly from: string
  readonly to: string
  readonly images: readonly string[]
  readonly aggregated?: PublishedSide
  readonly prefill?: PublishedSide
  readonly decode?: PublishedSide
}

type RunFile =
  | { readonly id: string; readonly rows: readonly (UsableRun | UnusableRun)[] }
  | { readonly id: string; readonly layouts: readonly PublishedLayout[] }

const RUN_FILES = bundle as unknown as readonly RunFile[]

export const publishedRuns: readonly PublishedRun[] = RUN_FILES.flatMap((each) =>
  'rows' in each ? each.rows.map((row) => ({ ...row, source: each.id })) : [],
)

export const inferencexLayouts: readonly PublishedLayout[] = RUN_FILES.flatMap((each) => ('layouts' in each ? each.layouts : []))
