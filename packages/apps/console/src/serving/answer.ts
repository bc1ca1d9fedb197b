// What the worker tells the page about a serving question.

import type { ServingPlan } from '@ironlaw/contracts'
import type { FrontPoint, Rejected } from '@ironlaw/planner'
import type { Known } from '@ironlaw/units'
import type { Deployable } from '../launch/deployment-request.ts'

export type ServingChoices = {
  readonly models: readonly string[]
  readonly accelerators: readonly { readonly id: string; readonly name: string }[]
}

export type ServingAnswer = {
  readonly warnings: readonly string[]
  readonly plans: readonly ServingPlan[]
  readonly looked?: ServingPlan
  /** What a deployment of the plan would be started with. */
  readonly deployable?: Deployable
  /** Of the numbers of the plan that is looked at. */
  readonly derivations: Readonly<Record<string, Known>>
  readonly tried: number
  readonly rejected: readonly Rejected[]
  /** Why nothing serves. */
  readonly nothing?: string
}

export type Part = { readonly from: number; readonly to: number; readonly count: number }

export type Felt = {
  readonly requests: number
  readonly attained: number
  readonly busy: number
  readonly ttft: readonly Part[]
  readonly tpot: readonly Part[]
  readonly ttft_p99_s: number
  readonly tpot_p99_s: number
}

export type ServingSlow = { readonly front: readonly FrontPoint[]; readonly felt?: Felt }
