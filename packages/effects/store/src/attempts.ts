// The attempts (jobs) of runs. They are written only together with their run, under its lease.

import type { Attempt, AttemptOutcome } from '@ironlaw/contracts'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { runStream } from './events.ts'
import { jsonText } from './json-text.ts'

export async function putAttempts(database: Database, run_id: string, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return
  await database
    .insertInto('attempts')
    .values(attempts.map((attempt) => ({ run_id, number: attempt.number, body: jsonText(attempt) })))
    .onConflict((conflict) => conflict.columns(['run_id', 'number']).doUpdateSet((row) => ({ body: row.ref('excluded.body') })))
    .execute()
}

/** In order of their numbers, for each of the runs that has any. */
export async function attemptsOf(database: Database, run_ids: readonly string[]): Promise<ReadonlyMap<string, readonly Attempt[]>> {
  if (run_ids.length === 0) return new Map()
  const rows = await database
    .selectFrom('attempts')
    .select(['run_id', 'body'])
    .where(sql<boolean>`run_id = any (${run_ids}::text[])`)
    .orderBy('run_id')
    .orderBy('number')
    .execute()
  return new Map([...Map.groupBy(rows, ({ run_id }) => run_id)].map(([run_id, group]) => [run_id, group.map(({ body }) => body)]))
}

export type AttemptEnding = Pick<AttemptOutcome, 'cause'> & { readonly run: string; readonly endedAt: number; readonly progressed: boolean }

/** Attempts of any run that ended since, and whether their run ever took a step. */
export async function endingsSince(database: Database, since_at: number): Promise<readonly AttemptEnding[]> {
  const { rows } = await sql<AttemptEnding>`
    select run_id as run, (body ->> 'endedAt')::float8 as "endedAt", body -> 'outcome' ->> 'cause' as cause,
      exists (select from attempts other where other.run_id = attempts.run_id and other.body ? 'lastStep') as progressed
    from attempts where state = 'ended' and (body ->> 'endedAt')::float8 >= ${since_at} and body -> 'outcome' ? 'cause'
    order by 2, 1 limit 10000`.execute(database)
  return rows
}

export type AttemptMoments = { readonly attempt: number; readonly attached_at: number | null; readonly fault_at: number | null }

/** When the first rank of each attempt attached, and when the first died; every rank of a large job tells both. */
export async function momentsOf(database: Database, run_id: string): Promise<readonly AttemptMoments[]> {
  const { rows } = await sql<AttemptMoments>`
    select (body ->> 'attempt')::int as attempt,
      min((body ->> 'at')::float8) filter (where kind = 'agent-attached') as attached_at,
      min((body ->> 'at')::float8) filter (where kind = 'rank-exited' and body ->> 'code' is distinct from '0') as fault_at
    from events where stream = ${runStream(run_id)} and kind in ('agent-attached', 'rank-exited')
    group by 1`.execute(database)
  return rows
}
