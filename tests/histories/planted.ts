// Bugs that the checker must find, each a broken part passed in where the sound one would be.

import { appendEvents, runStream } from '@ironlaw/store'
import { takeReport } from '../../packages/effects/control/src/runs/take-report.ts'
import { type Parts, SOUND } from './world.ts'

/** A write under a lease that somebody else holds by now. */
export const missingFence: Parts = {
  ...SOUND,
  connection: (inner) => ({
    query: (text, values) =>
      inner.query(text.replace('"run_id" = $1 and "token" = $2 for update', '"run_id" = $1 and $2::bigint > 0 for update'), values),
  }),
}

/** Every request to submit makes a job, whether or not one of that name is there. */
export const submitWithoutReadBack: Parts = {
  ...SOUND,
  executor: (inner) => {
    const asked = new Map<string, number>()
    return {
      ...inner,
      submit: (job) => {
        const times = asked.get(job.key) ?? 0
        asked.set(job.key, times + 1)
        return inner.submit(times === 0 ? job : { ...job, key: `${job.key}-${times}` })
      },
    }
  },
}

/** Whoever needs one more node gives back those it has, as when every attempt was a job of its own. */
export const nodesGivenBack: Parts = {
  ...SOUND,
  executor: (inner) => ({
    ...inner,
    submit: async (job) => {
      const [, run, number] = /^(.*)\.alloc-(\d+)$/.exec(job.key) ?? []
      if (Number(number) > 1) await inner.cancel(`${run}.alloc-${Number(number) - 1}`)
      return inner.submit(job)
    },
  }),
}

/** The database's own refusal is in the way of this one. */
export const WITHOUT_TRIGGER = 'alter table runs disable trigger runs_terminal'

/** The news that a job has finished ends its run as succeeded, however it had ended. */
export const terminalOverwritten: Parts = {
  ...SOUND,
  takeReport: async (reporting, report) => {
    const { database, run_id, attempt, now } = reporting
    const answer = await takeReport(reporting, report)
    if (!report.notes.some(({ kind }) => kind === 'completed')) return answer
    await database.transaction().execute(async (transaction) => {
      const ended = transaction.updateTable('runs').set({ state: 'succeeded' }).where('id', '=', run_id).where('ended_at', 'is not', null)
      const [changed] = await ended.returning('id').execute()
      if (changed) await appendEvents(transaction, runStream(run_id), [{ kind: 'run-succeeded', actor: 'api', at: now, body: { attempt } }])
    })
    return answer
  },
}
