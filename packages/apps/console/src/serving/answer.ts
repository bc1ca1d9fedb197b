// The worker's answer to a serving question.

import type { ServingPlan } from '@ironlaw/contracts'
import type { FrontPoint, RejectedLayout } from '@ironlaw/planner'
import type { Known } from '@ironlaw/units'
import type { DeployableSpec } from '../launch/deployment-request.ts'

export type ServingChoices = {
  readonly models: readonly string[]
  readonly accelerators: readonly { readonly id: string; readonly name: string }[]
}

export type ServingAnswer = {
  readonly warnings: readonly string[]
  readonly plans: readonly ServingPlan[]
  readonly looked?: ServingPlan
  /** The input for deploying the plan. */
  readonly deployable?: DeployableSpec
  /** For the numbers of the selected plan. */
  readonly derivations: Readonly<Record<string, Known>>
  readonly tried: number
  readonly rejected: readonly RejectedLayout[]
  /** Why no deployment meets the objectives. */
  readonly nothing?: string
}

export type HistogramBin = { readonly from: number; readonly to: number; readonly count: number }

export type SimulatedLatency = {
  readonly requests: number
  /** All of the plan, the spares included. */
  readonly replicas: number
  readonly attained: number
  readonly busy: number
  readonly ttft: readonly HistogramBin[]
  readonly tpot: readonly HistogramBin[]
  readonly ttft_p99_s: number
  readonly tpot_p99_s: number
}

export type SlowServingAnswer = { readonly front: readonly FrontPoint[]; readonly felt?: SimulatedLatency }
