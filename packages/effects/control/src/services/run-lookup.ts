// Questions about runs that the store's own modules do not answer yet.

import { RUN_STATES, type RunState, TERMINAL_STATES } from '@ironlaw/contracts'
import { type Database, type Event, type Run, runOf, runStream } from '@ironlaw/store'

export const LIVE_STATES: readonly RunState[] = RUN_STATES.filter((state) => !TERMINAL_STATES.some((terminal) => terminal === state))

/** The run with that id, else those of that name, newest first. */
export async function runsNamed(database: Database, name: string, limit: number): Promise<readonly Run[]> {
  const run = await runOf(database, name)
  if (run) return [run]
  const query = database.selectFrom('runs').selectAll().where('name', '=', name)
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

/** The last events of a run, oldest first. */
export async function newestEvents(database: Database, run_id: string, limit: number): Promise<Event[]> {
  const newest = database.selectFrom('events').selectAll().where('stream', '=', runStream(run_id)).orderBy('sequence', 'desc')
  return (await newest.limit(limit).execute()).toReversed()
}

/** Only those that live: counting a million in history at every scrape would cost more than all else. */
export async function liveRunCounts(database: Database): Promise<ReadonlyMap<RunState, number>> {
  const rows = await database
    .selectFrom('runs')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .where('state', 'in', LIVE_STATES)
    .groupBy('state')
    .execute()
  const counts = new Map(rows.map(({ state, count }) => [state, count]))
  return new Map(LIVE_STATES.map((state) => [state, counts.get(state) ?? 0]))
}
