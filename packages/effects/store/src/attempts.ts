// The attempts (jobs) of runs. They are written only together with their run, under its lease.

import type { Attempt, AttemptOutcome } from '@ironlaw/contracts'
import { STRATEGY_EVENT } from '@ironlaw/contracts/running'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { runStream } from './events.ts'
import { numberedOf } from './numbered-bodies.ts'
import { ATTEMPTS, type StoredBodies } from './stored-bodies.ts'

export const attemptsOf = (database: Database, run_ids: readonly string[]): Promise<StoredBodies<Attempt>> =>
  numberedOf(database, ATTEMPTS, run_ids)

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

export type AttemptNote = { readonly attempt: number; readonly detail: unknown }

/** What programs said they run with, latest last; a program that says it again and again does not fill memory. */
export async function strategiesOf(database: Database, run_id: string): Promise<readonly AttemptNote[]> {
  const { rows } = await sql<AttemptNote>`
    select (body ->> 'attempt')::int as attempt, body -> 'detail' as detail
    from events where stream = ${runStream(run_id)} and kind = ${STRATEGY_EVENT}
    order by sequence desc limit ${STRATEGIES_READ}`.execute(database)
  return rows.toReversed()
}

/** An attempt says it once; runs of more attempts are read from the latest. */
const STRATEGIES_READ = 256

export type AttemptMoments = {
  readonly attempt: number
  /** When the first node had started its processes. */
  readonly ranks_at: number | null
  readonly attached_at: number | null
  readonly fault_at: number | null
}

/** When the first rank of each attempt attached, and when the first died; every rank of a large job reports both. */
export async function momentsOf(database: Database, run_id: string): Promise<readonly AttemptMoments[]> {
  const { rows } = await sql<AttemptMoments>`
    select (body ->> 'attempt')::int as attempt,
      min((body ->> 'at')::float8) filter (where kind = 'agent-started') as ranks_at,
      min((body ->> 'at')::float8) filter (where kind = 'agent-attached') as attached_at,
      min((body ->> 'at')::float8) filter (where kind = 'rank-exited' and body ->> 'code' is distinct from '0') as fault_at
    from events where stream = ${runStream(run_id)} and kind in ('agent-started', 'agent-attached', 'rank-exited')
    group by 1`.execute(database)
  return rows
}
