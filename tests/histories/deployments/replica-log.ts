// What must hold in the event log of one deployment, whatever happened to it. The log is replayed: each replica lives one life in order,
// each rollout ends once, and what was promoted stays until a person acts.

import type { LoggedEvent } from '../event-log.ts'

const LIFE = ['created', 'submitted', 'serving', 'draining', 'stopping', 'gone']
const SERVING = LIFE.indexOf('serving')
const ROLLOUT_ENDS: ReadonlySet<string> = new Set(['rollout-promoted', 'rollout-rolled-back'])

/** Sentences that say what is broken; none when all is well. */
export function replicaLogFaults(events: readonly LoggedEvent[]): string[] {
  const faults: string[] = []
  const stages = new Map<string, number>()
  const rollouts = new Set<number>()
  const kept = new Set<string>()
  for (const { kind, body } of events) {
    const revision = Number(body['revision'])
    if (kind === 'revision-created') rollouts.add(revision)
    if (ROLLOUT_ENDS.has(kind) && !rollouts.delete(revision)) faults.push(`${kind} of revision ${revision}, which was not being tried`)
    const replica = String(body['replica'])
    const now = stages.get(replica)
    if (kind === 'replica-kept' && (now !== SERVING || kept.has(replica))) faults.push(`${kind} of ${replica}, which did not serve`)
    if (kind === 'replica-resumed' && (now !== SERVING || !kept.has(replica))) faults.push(`${kind} of ${replica}, which was not kept`)
    if (kind === 'replica-kept') kept.add(replica)
    if (kind === 'replica-resumed') kept.delete(replica)
    const stage = kind.startsWith('replica-') ? LIFE.indexOf(kind.slice('replica-'.length)) : -1
    if (stage < 0) continue
    const before = stages.get(replica)
    if (before === undefined && stage !== 0) faults.push(`${kind} of ${replica}, which was never created`)
    if (before !== undefined && stage <= before) faults.push(`${kind} of ${replica} after replica-${LIFE[before]}`)
    stages.set(replica, stage)
  }
  if (events[0]?.kind !== 'deployment-created') faults.push('the log does not begin with the deployment')
  return faults
}

/** The revision that must serve: the last that was promoted or returned to, or the first. */
export const promotedIn = (events: readonly LoggedEvent[]): number =>
  Number(events.findLast(({ kind }) => kind === 'rollout-promoted' || kind === 'rollout-returned')?.body['revision'] ?? 1)
