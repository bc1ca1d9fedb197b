// One look at the executor for a whole round, in the words decisions are made in. Not being able to ask is an answer too, and a
// different one from "no such job".

import { jobKey, type NodeSighting, type Sighting } from '@ironlaw/contracts'
import type { Executor, Node, Sighting as Shown } from '@ironlaw/executors'
import type { Lease } from '@ironlaw/store'

export type Look = { readonly job: (run: string, attempt: number) => Sighting; readonly capacity?: readonly NodeSighting[] }

export async function look(executor: Executor, leases: readonly Lease[]): Promise<Look> {
  // The attempt before the current one is looked at too: a job whose cancellation was lost must not run on.
  const keys = leases.flatMap(({ run }) =>
    [run.attempt, run.attempt - 1].filter((number) => number > 0).map((number) => jobKey(run.id, number)),
  )
  const [jobs, fleet] = await Promise.all([executor.sightings(keys), executor.capacity()])
  const nodes = fleet.answer === 'capacity' ? fleet.nodes : []
  const silent = nodes.filter(({ state }) => state === 'silent' || state === 'down').map(({ name }) => name)
  return {
    job: (run, attempt) => {
      if (jobs.answer === 'unreachable') return { state: 'unreachable', reason: jobs.reason }
      const shown = jobs.jobs.get(jobKey(run, attempt))
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

function nodeSighting({ name, state, reason, slots, freeSlots }: Node): NodeSighting {
  const shown = state === 'ready' ? (freeSlots === slots ? 'idle' : 'busy') : state === 'silent' ? 'unresponsive' : state
  return { name, state: shown, slots, free: freeSlots, ...(reason !== undefined && { reason }) }
}

export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
