// Which serving plans `ironlaw apply` can run as they were priced.

import type { ServingPlan } from './serving-plan.ts'

export type DeployRefusal = {
  readonly why: 'parted' | 'wide'
  readonly reason: string
  /** What would give a plan that can be run. */
  readonly change: string
}

/**
 * Why a plan is not deployed; undefined for one that is. A plan with pools for prompts and for decoding rests on the transfer of a prompt's
 * key-value cache between them, which neither the gateway nor the engines it starts carry out. A replica is one job on one node.
 */
export function deployRefusal({ pools, devicesPerNode }: Pick<ServingPlan, 'pools' | 'devicesPerNode'>): DeployRefusal | undefined {
  const parted = pools.filter(({ role }) => role !== 'all')
  const named = parted.map(({ role, replicas }) => `${replicas} for ${role}`).join(' and ')
  if (parted.length > 0)
    return {
      why: 'parted',
      reason: `it has replicas of their own (${named}), and the gateway moves no key-value cache between them`,
      change: '"disaggregated: never" plans one pool',
    }
  const wide = pools.find(({ devicesPerReplica }) => devicesPerReplica > devicesPerNode)
  if (!wide) return undefined
  return {
    why: 'wide',
    reason: `a replica has ${wide.devicesPerReplica} devices, a node ${devicesPerNode}, and a replica is started on one node`,
    change: 'a smaller precision, or accelerators with more memory, may bring a replica onto one node',
  }
}
