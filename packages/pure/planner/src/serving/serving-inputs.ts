// What is to be served, for whom and within what, as the planner takes it.

import type { ServingPlan } from '@ironlaw/contracts'
import type { Architecture } from '@ironlaw/models'
import type { Known } from '@ironlaw/units'
import type { FixedLayout } from './candidates.ts'
import type { EngineName } from './engine-runtime.ts'
import type { Adapters, Offload, Speculation } from './mechanisms.ts'
import type { CachePrecision, ServingPrecisionName } from './precision.ts'

export type QualityRule = {
  readonly suite: string
  readonly margin: number
  readonly reference: ServingPrecisionName
  /** Name under which the quality was measured. */
  readonly model: string
}

export type ServingPlanInputs = {
  readonly name: string
  readonly model: string
  readonly architecture: Architecture
  readonly traffic: ServingPlan['traffic']
  readonly objectives: ServingPlan['objectives']
  /** All measured ones when absent. */
  readonly accelerators?: readonly string[]
  readonly engine: EngineName
  readonly precisions?: readonly ServingPrecisionName[]
  readonly cache: CachePrecision
  /** Any precision when absent. */
  readonly quality?: QualityRule
  readonly spare: number
  readonly goal: 'cost' | 'devices'
  readonly disaggregated: 'allowed' | 'never' | 'only'
  readonly price?: Known<'USD/s'>
  readonly layout?: FixedLayout
  readonly speculation?: Speculation
  readonly adapters?: Adapters
  readonly offload?: Offload
  /** Requests that a gateway sends one replica at once; as many as the engine takes when left out. */
  readonly maxRunning?: number
}
