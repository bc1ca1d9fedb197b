// What the reconciler keeps of a deployment between two looks. Losing it costs evidence and patience, nothing else.

import type { ScaleMemory } from '@ironlaw/policies/serving'
import type { Evidence } from './evidence.ts'
import type { Traffic } from './traffic.ts'
import type { Trail } from './trail.ts'

export type Memory = {
  /** Since when replicas that serve have not answered our probe, by id. */
  readonly silent: Readonly<Record<string, number>>
  /** Of replicas that drain, by id. */
  readonly left?: Readonly<Record<string, Left>>
  /** Of replicas that are kept for the way back, by id. */
  readonly kept?: Readonly<Record<string, Kept>>
  readonly evidence?: Evidence
  readonly scaling?: Scaling
  readonly trail?: Trail
  readonly traffic?: Traffic
}

export type LeftConfig = { readonly epoch: string; readonly version: number }

/** From which configuration on a replica is no longer in it, and for how long it has been seen draining, as of the last look. */
export type Left = LeftConfig & { readonly lookedAt?: number; readonly drained_s?: number }

/** For how long it has been seen so, as of the last look. */
export type Kept = { readonly lookedAt: number; readonly kept_s: number }

/** What one gateway had counted when it last spoke. */
export type Counted = {
  readonly at: number
  readonly boot: string
  /** Requests that had arrived, by pool. */
  readonly arrived: Readonly<Record<string, number>>
}

export type Scaling = {
  readonly at: number
  /** By gateway. */
  readonly counted: Readonly<Record<string, Counted>>
  readonly memory: ScaleMemory
}

export const readMemory = (text: string | null): Memory => (text === null ? { silent: {} } : JSON.parse(text))
