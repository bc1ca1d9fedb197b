// Records what the executor shows of a run's allocations before anything is decided: which of them hold nodes now, and which have ended.
// Releases those that are no longer needed.

import { type Allocation, allocationKey, type Sighting } from '@ironlaw/contracts'
import { desertedNodes, unneededAllocations } from '@ironlaw/policies/run'
import { type LeasedRun, reconcilerEvent, writeChange } from './carry-out.ts'

/** Stale when another control plane holds the lease by now. */
export async function updateAllocations(
  held: Omit<LeasedRun, 'seen'>,
  allocations: readonly Allocation[],
  job: (allocation: number) => Sighting,
): Promise<readonly Allocation[] | 'stale'> {
  const now = held.ports.now()
  const noted = allocations.map((allocation) => updatedAllocation(allocation, job(allocation.number), now))
  const changed = noted.filter((allocation, index) => allocation !== allocations[index])
  const [first, ...others] = changed.map(({ number, state }) => {
    const shown = job(number)
    const detail = shown.state === 'ended' ? { how: shown.how } : shown.state === 'running' ? { nodes: shown.nodes } : {}
    return reconcilerEvent(held, `allocation-${state}`, { attempt: held.lease.run.attempt, allocation: number, ...detail })
  })
  if (!first) return noted
  const applied = await writeChange(held, { allocations: changed, events: [first, ...others] })
  return applied === 'stale' ? 'stale' : noted
}

function updatedAllocation(allocation: Allocation, job: Sighting, now: number): Allocation {
  const { state } = job
  if (allocation.state === 'ended') return allocation
  if (job.state === 'ended') return { ...allocation, state: 'ended', endedAt: now, how: job.how }
  // One that perhaps never reached the executor is absent until it does.
  if (state === 'absent' && allocation.state !== 'submitting') return { ...allocation, state: 'ended', endedAt: now }
  if (state === 'running' && allocation.state !== 'held') return { ...allocation, state: 'held', heldAt: now }
  return allocation
}

export async function releaseUnneeded(held: LeasedRun): Promise<void> {
  const { ports, lease, seen } = held
  const { executor, limits } = ports
  for (const { number } of unneededAllocations(seen, limits)) await executor.cancel(allocationKey(lease.run.id, number))
  // A request that is refused or lost is repeated in the next round.
  for (const { allocation, nodes } of desertedNodes(seen, limits)) {
    const { answer } = await executor.release(allocationKey(lease.run.id, allocation.number), nodes)
    if (answer === 'done')
      await writeChange(held, {
        events: [
          reconcilerEvent(held, 'nodes-released', {
            attempt: lease.run.attempt,
            allocation: allocation.number,
            nodes,
            why: 'their agents are gone, or a check found them slow',
          }),
        ],
      })
  }
}
