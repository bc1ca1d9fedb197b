// Nodes of runs that have ended go back to the executor. Agents of a run that succeeded leave by themselves and get a while for it: their
// program may have something left to do. What is left of any other run is cancelled at once, again and again until it is gone.

import { allocationKey, isTerminal, type Sighting } from '@ironlaw/contracts'
import { dueReleases, finishRelease, postponeRelease, runOf } from '@ironlaw/store'
import type { ReconcilePorts } from './ports.ts'
import { runDirectory } from './site.ts'

const AT_ONCE = 256
const AGAIN_S = 2
/** A program that writes its model after it has said that it is done. */
const LEAVE_S = 60

const OVER: ReadonlySet<Sighting['state']> = new Set(['ending', 'ended', 'absent'])

export async function releaseNodes(ports: ReconcilePorts): Promise<void> {
  const { database, executor, now } = ports
  const due = await dueReleases(database, { at: now(), limit: AT_ONCE })
  if (due.length === 0) return
  const seen = await executor.sightings(due.map(({ run_id, number }) => allocationKey(run_id, number)))
  for (const { run_id, number, run_state, ended_at } of due) {
    const key = allocationKey(run_id, number)
    const state = seen.answer === 'seen' ? seen.jobs.get(key)?.state : undefined
    if ((state === 'ended' || state === 'absent') && (await hasNoSecrets(ports, run_id))) {
      await finishRelease(database, { run_id, number, at: now() })
      continue
    }
    const mayLeave = run_state === 'succeeded' && now() - ended_at < LEAVE_S
    if (state !== undefined && !OVER.has(state) && !mayLeave) await executor.cancel(key)
    await postponeRelease(database, { run_id, number, due_at: now() + AGAIN_S })
  }
}

/** A control plane that was killed at the end of a run may have left them. A run that was resumed has them again. */
async function hasNoSecrets({ database, secrets, site }: ReconcilePorts, run_id: string): Promise<boolean> {
  if (!secrets) return true
  const run = await runOf(database, run_id)
  return !run?.program.secrets || !isTerminal(run.state) || secrets.remove(runDirectory(site, run_id))
}
