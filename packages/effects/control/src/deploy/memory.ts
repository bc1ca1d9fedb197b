// What the reconciler keeps of a deployment between two looks. Losing it costs evidence and patience, nothing else.

import type { ScaleMemory } from '@ironlaw/policies/serving'
import type { Evidence } from './evidence.ts'
import type { Traffic } from './traffic.ts'
import type { Trail } from './trail.ts'

export type Memory = {
  /** Since when replicas that serve have not answered our probe, by id. */
  readonly silent: Readonly<Record<string, number>>
  readonly evidence?: Evidence
  readonly scaling?: Scaling
  readonly trail?: Trail
  readonly traffic?: Traffic
}

export type Scaling = {
  readonly at: number
  /** Requests that had arrived by then, by gateway and pool. */
  readonly arrived: Readonly<Record<string, number>>
  readonly memory: ScaleMemory
}

export const readMemory = (text: string | null): Memory => (text === null ? { silent: {} } : JSON.parse(text))
