// One measurement as a question to the planner.

import type { ReplicaDesign } from '../serving/replica-design.ts'
import type { MetricValues, PublishedPercentiles, SimulatedLoad, Split } from './row.ts'

type ServingLoad =
  | { readonly kind: 'batch'; readonly size: number }
  | { readonly kind: 'rate'; readonly requests_per_s: number }
  | { readonly kind: 'concurrency'; readonly size: number; readonly spread: number }
  | { readonly kind: 'offline' }
  | { readonly kind: 'prefill' }
  /** Decoding only, prompts being done elsewhere: sequences per replica. */
  | { readonly kind: 'decode'; readonly size: number }

export type ServingCase = {
  readonly id: string
  readonly source: string
  readonly split: Split
  readonly family: string
  readonly replica: ReplicaDesign
  readonly input: number
  readonly output: number
  readonly load: ServingLoad
  /** Between client and engine, where the first token was timed at the client. */
  readonly client_s?: number
  readonly measured: MetricValues
}

/** A measurement that takes a simulation to predict. */
export type SimulatedCase = Omit<ServingCase, 'load' | 'client_s'> & {
  readonly load: SimulatedLoad
  readonly percentiles?: { readonly ttft_s: PublishedPercentiles; readonly tpot_s: PublishedPercentiles }
}

export type RefusedCase = { readonly id: string; readonly reason: string }
