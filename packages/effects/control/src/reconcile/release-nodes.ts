// Nodes of runs that have ended go back to the executor. Agents of a run that succeeded leave by themselves and get a while for it: their
// program may have something left to do. What is left of any other run is cancelled at once, again and again until it is gone.

import { allocationKey } from '@ironlaw/contracts'
import { dueReleases, finishRelease, postponeRelease } from '@ironlaw/store'
import type { ReconcilePorts } from './ports.ts'

const AT_ONCE = 256
const AGAIN_S = 2
/** A program that writes its model after it has said that it is done. */
const LEAVE_S = 60

export async function releaseNodes({ database, executor, now }: ReconcilePorts): Promise<void> {
  const due = await dueReleases(database, { at: now(), limit: AT_ONCE })
  if (due.length === 0) return
  const seen = await executor.sightings(due.map(({ run_id, number }) => allocationKey(run_id, number)))
  for (const { run_id, number, run_state, ended_at } of due) {
    const key = allocationKey(run_id, number)
    const state = seen.answer === 'seen' ? seen.jobs.get(key)?.state : undefined
    if (state === 'ended' || state === 'absent') {
      await finishRelease(database, { run_id, number, at: now() })
      continue
    }
    const mayLeave = run_state === 'succeeded' && now() - ended_at < LEAVE_S
    if (state !== undefined && state !== 'ending' && !mayLeave) await executor.cancel(key)
    await postponeRelease(database, { run_id, number, due_at: now() + AGAIN_S })
  }
}
