// What a replica may do beyond plain decoding, as a spec asks for it.

import type { ServingPlan } from '@ironlaw/contracts'
import type { Architecture } from '@ironlaw/models'

export type SpeculationMethod = NonNullable<ServingPlan['speculation']>['method']

export type Speculation = {
  readonly method: SpeculationMethod
  /** Tokens drafted per step. */
  readonly drafted: number
  /** Chance that a drafted token is kept, given that all before it were. */
  readonly acceptance: number
  /** The model that drafts, where one of its own does. */
  readonly draft?: { readonly name: string; readonly architecture: Architecture }
}

/** Low-rank adapters that share the model. */
export type Adapters = NonNullable<ServingPlan['adapters']>

/** Room outside the device for keys and values. */
export type Offload = NonNullable<ServingPlan['offload']>
