// One look at the executor for a whole round, in the words decisions are made in. Not being able to ask is an answer too, and a
// different one from "no such job".

import { type Allocation, allocationKey, type NodeSighting, type Sighting } from '@ironlaw/contracts'
import type { Executor, Node, Sighting as Shown } from '@ironlaw/executors'

export type FleetLook = { readonly job: (run: string, allocation: number) => Sighting; readonly capacity?: readonly NodeSighting[] }

/** What each executor showed of its nodes last. */
const capacities = new WeakMap<Executor, readonly NodeSighting[]>()

/** While the executor does not answer: its nodes are as they were, and of jobs nothing is known. */
export function blindLook(executor: Executor): FleetLook {
  const capacity = capacities.get(executor)
  return { job: () => ({ state: 'unreachable', reason: 'the executor takes long to answer' }), ...(capacity && { capacity }) }
}

/** At the allocations of these runs that have not ended. */
export async function lookAtFleet(executor: Executor, allocations: ReadonlyMap<string, readonly Allocation[]>): Promise<FleetLook> {
  const keys = [...allocations].flatMap(([run, all]) =>
    all.filter(({ state }) => state !== 'ended').map(({ number }) => allocationKey(run, number)),
  )
  const [jobs, fleet] = await Promise.all([executor.sightings(keys), executor.capacity()])
  const nodes = fleet.answer === 'capacity' ? fleet.nodes : []
  if (fleet.answer === 'capacity') capacities.set(executor, nodes.map(nodeSighting))
  const silent = nodes.filter(({ state }) => state === 'silent' || state === 'down').map(({ name }) => name)
  return {
    job: (run, allocation) => {
      if (jobs.answer === 'unreachable') return { state: 'unreachable', reason: jobs.reason }
      const shown = jobs.jobs.get(allocationKey(run, allocation))
      return shown ? sighting(shown, silent) : { state: 'absent' }
    },
    ...(fleet.answer === 'capacity' && { capacity: nodes.map(nodeSighting) }),
  }
}

export function sighting(shown: Shown, silent: readonly string[]): Sighting {
  switch (shown.state) {
    case 'running':
      return { state: 'running', nodes: shown.nodes, unresponsive: shown.nodes.filter((node) => silent.includes(node)) }
    case 'pending': {
      const { reason, estimatedStart_s, position } = shown
      return {
        state: 'pending',
        reason,
        ...(estimatedStart_s !== undefined && { estimatedStartAt: estimatedStart_s }),
        ...(position !== undefined && { position }),
      }
    }
    case 'ending':
      return { state: 'ending' }
    case 'ended':
    case 'absent':
      return shown
  }
}

function nodeSighting({ name, state, reason, slots, freeSlots, devices }: Node): NodeSighting {
  const shown = state === 'ready' ? (freeSlots === slots ? 'idle' : 'busy') : state === 'silent' ? 'unresponsive' : state
  return { name, state: shown, slots, free: freeSlots, ...(devices && { devices }), ...(reason !== undefined && { reason }) }
}
