// What the reconciler keeps of a deployment between two looks. Losing it costs evidence and patience, nothing else.

import type { ScaleMemory } from '@ironlaw/policies/serving'
import type { Evidence } from './evidence.ts'
import type { Traffic } from './traffic.ts'
import type { Trail } from './trail.ts'

export type DeploymentMemory = {
  /** Since when replicas that serve have not answered our probe, by id. */
  readonly silent: Readonly<Record<string, number>>
  /** Of replicas that drain, by id. */
  readonly left?: Readonly<Record<string, DrainProgress>>
  /** Of replicas that are kept for the way back, by id. */
  readonly kept?: Readonly<Record<string, KeepTime>>
  readonly evidence?: Evidence
  readonly scaling?: AutoscaleState
  readonly trail?: Trail
  readonly traffic?: Traffic
}

export type ConfigPosition = { readonly epoch: string; readonly version: number }

/** From which configuration on a replica is no longer in it, and for how long it has been seen draining, as of the last look. */
export type DrainProgress = ConfigPosition & { readonly lookedAt?: number; readonly drained_s?: number }

/** For how long it has been seen so, as of the last look. */
export type KeepTime = { readonly lookedAt: number; readonly kept_s: number }

/** What one gateway had counted when it last spoke. */
export type ArrivalCounts = {
  readonly at: number
  readonly boot: string
  /** Requests that had arrived, by pool. */
  readonly arrived: Readonly<Record<string, number>>
}

export type AutoscaleState = {
  readonly at: number
  /** By gateway. */
  readonly counted: Readonly<Record<string, ArrivalCounts>>
  readonly memory: ScaleMemory
}

export const readMemory = (text: string | null): DeploymentMemory => (text === null ? { silent: {} } : JSON.parse(text))
