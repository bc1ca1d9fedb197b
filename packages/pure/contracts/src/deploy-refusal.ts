// Which serving plans `ironlaw apply` can run as they were priced.

import type { ServingPlan } from './serving-plan.ts'

/**
 * Why a plan is not deployed; undefined for one that is. A plan with pools for prompts and for decoding rests on the transfer of a prompt's
 * key-value cache between them, which neither the gateway nor the engines it starts carry out.
 */
export function deployRefusal({ pools }: Pick<ServingPlan, 'pools'>): string | undefined {
  const parted = pools.filter(({ role }) => role !== 'all')
  if (parted.length === 0) return undefined
  const named = parted.map(({ role, replicas }) => `${replicas} for ${role}`).join(' and ')
  return `it has replicas of their own (${named}), and the gateway moves no key-value cache between them`
}
