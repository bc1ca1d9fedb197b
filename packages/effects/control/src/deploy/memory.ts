// What the reconciler keeps of a deployment between two looks. Losing it costs evidence and patience, nothing else.

import type { AutoscaleState } from './autoscale.ts'
import type { Evidence } from './evidence.ts'
import type { GatewayMarks } from './increments.ts'
import type { Traffic } from './traffic.ts'
import type { Trail } from './trail.ts'

export type DeploymentMemory = {
  /** Since when replicas that serve have not answered our probe, by id. */
  readonly silent: Readonly<Record<string, number>>
  /** Of replicas that drain, by id. */
  readonly left?: Readonly<Record<string, DrainProgress>>
  /** Of replicas that are kept for the way back, by id. */
  readonly kept?: Readonly<Record<string, KeepTime>>
  /** What gateways had counted at the last look. */
  readonly counted?: GatewayMarks
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

export const readMemory = (text: string | null): DeploymentMemory => (text === null ? { silent: {} } : JSON.parse(text))
