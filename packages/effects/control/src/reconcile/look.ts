// One look at the executor for a whole round. Not being able to ask is an answer too, and a different one from "no such job".

import { type Allocation, allocationKey, type NodeSighting, type Sighting } from '@ironlaw/contracts'
import type { Executor, Sightings, Unreachable } from '@ironlaw/executors'

export type FleetLook = { readonly job: (run: string, allocation: number) => Sighting; readonly capacity?: readonly NodeSighting[] }

/** What each executor showed of its nodes last. */
const capacities = new WeakMap<Executor, readonly NodeSighting[]>()

/** While the executor does not answer: its nodes are as they were, and of jobs nothing is known. */
export function blindLook(executor: Executor): FleetLook {
  const capacity = capacities.get(executor)
  return { job: () => ({ state: 'unreachable', reason: 'the executor takes long to answer' }), ...(capacity && { capacity }) }
}

type HeldAllocation = { readonly run: string; readonly allocation: Allocation }

/** At the allocations that have not ended. */
export async function lookAtFleet(executor: Executor, allocations: readonly HeldAllocation[]): Promise<FleetLook> {
  const keys = allocations
    .filter(({ allocation }) => allocation.state !== 'ended')
    .map(({ run, allocation }) => allocationKey(run, allocation.number))
  const [jobs, fleet] = await Promise.all([executor.sightings(keys), executor.capacity()])
  const capacity = fleet.answer === 'capacity' ? fleet.nodes : undefined
  if (capacity) capacities.set(executor, capacity)
  const away = (capacity ?? []).filter(({ state }) => state === 'unresponsive' || state === 'down')
  const silent = new Set(away.map(({ name }) => name))
  return {
    job: (run, allocation) => {
      const shown = sightingIn(jobs, allocationKey(run, allocation))
      return shown.state === 'running' ? { ...shown, unresponsive: shown.nodes.filter((node) => silent.has(node)) } : shown
    },
    ...(capacity && { capacity }),
  }
}

/** Not being able to ask is a sighting too. */
export const sightingIn = (seen: Sightings | Unreachable, key: string): Sighting =>
  seen.answer === 'unreachable' ? { state: 'unreachable', reason: seen.reason } : (seen.jobs.get(key) ?? { state: 'absent' })
