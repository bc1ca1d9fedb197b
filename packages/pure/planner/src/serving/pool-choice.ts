// One pool of a deployment in the making: which replicas it is of, and what the closed form says that one of them takes.

import type { ServingPool } from '@ironlaw/contracts'
import type { Capacity } from './capacity.ts'
import { devicesOf } from './layout.ts'
import type { PreparedReplica } from './prepared-replica.ts'

type FeasibleCapacity = Extract<Capacity, { ok: true }>

export type PoolChoice = { readonly role: ServingPool['role']; readonly option: PreparedReplica; readonly capacity: FeasibleCapacity }

export const devicesOfPools = (parts: readonly PoolChoice[], replicas: readonly number[]): number =>
  parts.reduce((sum, { option }, at) => sum + (replicas[at] ?? 0) * devicesOf(option.replica.layout), 0)
