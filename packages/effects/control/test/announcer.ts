// Agents of a simulated fleet: those of every node that a job holds announce themselves, those of muted nodes excepted.

import type { SimulatedFleet } from '@ironlaw/executors/simulated'
import { type Database, recordAgent } from '@ironlaw/store'

type AnnouncerOptions = {
  readonly database: Database
  readonly fleet: SimulatedFleet
  readonly muted: ReadonlySet<string>
  readonly now: () => number
  /** Each announces itself once and is silent then, as one at work is. */
  readonly once: boolean
}

export function announcer({ database, fleet, muted, now, once }: AnnouncerOptions): () => Promise<void> {
  const places = new Map<string, readonly string[]>()
  const announced = new Set<string>()
  return async () => {
    for (const [key, job] of fleet.jobs()) {
      const [, run_id = '', number = ''] = /^(.*)\.alloc-(\d+)$/.exec(key) ?? []
      if (job.state !== 'running') continue
      if (!places.has(key)) places.set(key, job.nodes)
      for (const [index, node] of (places.get(key) ?? []).entries()) {
        const incarnation = `${run_id}-${number}-${index}`
        if (muted.has(node) || announced.has(incarnation)) continue
        if (once) announced.add(incarnation)
        const announcement = { allocation: Number(number), index, node, host: node, incarnation }
        await recordAgent(database, { run_id, at: now(), announcement })
      }
    }
  }
}
