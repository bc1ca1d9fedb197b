// Agents that announced themselves from a place in an allocation, and when each was heard last.

import type { Allocation, Attempt, RunState } from '@ironlaw/contracts'
import type { Announcement } from '@ironlaw/contracts/report'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { wake } from './leases.ts'
import type { Agent, JsonObject } from './tables.ts'

/** Agents of allocations that have not ended. */
export async function agentsOf(database: Database, run_ids: readonly string[]): Promise<ReadonlyMap<string, readonly Agent[]>> {
  if (run_ids.length === 0) return new Map()
  const rows = await database
    .selectFrom('agents')
    .innerJoin('allocations', (join) =>
      join.onRef('allocations.run_id', '=', 'agents.run_id').onRef('allocations.number', '=', 'agents.allocation'),
    )
    .selectAll('agents')
    .where(sql<boolean>`agents.run_id = any (${run_ids}::text[])`)
    .where('allocations.state', '<>', 'ended')
    .orderBy('agents.run_id')
    .orderBy('agents.allocation')
    .orderBy('agents.node_index')
    .execute()
  return Map.groupBy(rows, ({ run_id }) => run_id)
}

/** After this silence another agent may take an agent's place. */
const SUCCEEDED_AFTER_S = 10
/** An agent that is heard more often than this writes no row, unless it has ended an attempt. */
const HEARD_EVERY_S = 0.5

export type AgentRunView = {
  readonly state: RunState
  readonly spec: JsonObject
  /** Null before the first. */
  readonly attempt: Attempt | null
  /** Null when the run has no such allocation. */
  readonly allocation: Allocation['state'] | null
  /** The agent that holds this place; null when there is no such place. */
  readonly incarnation: string | null
}

type AgentAnnouncement = { readonly run_id: string; readonly at: number; readonly announcement: Announcement }

type AgentRunRow = AgentRunView & { readonly is_news: boolean }

/** Does nothing for an unknown run. An agent that is new, was silent, or has ended an attempt triggers a look at its run. */
export async function recordAgent(
  database: Database,
  announced: AgentAnnouncement,
): Promise<(AgentRunView & { readonly isNews: boolean }) | undefined> {
  const { run_id, at } = announced
  const found = await recordAnnouncement(database, announced)
  if (!found) return undefined
  const { is_news: isNews, ...rest } = found
  if (isNews) await inTransaction(database, (transaction) => wake(transaction, { run_id, at }))
  return { ...rest, isNews }
}

async function recordAnnouncement(database: Database, { run_id, at, announcement }: AgentAnnouncement): Promise<AgentRunRow | undefined> {
  const { allocation, index, node, host, incarnation, ended_attempt = null } = announcement
  const { rows } = await sql<AgentRunRow>`
    with before as (
      select incarnation, heard_at, ended_attempt from agents where run_id = ${run_id} and allocation = ${allocation}::int and node_index = ${index}::int
    ),
    taken as (
      insert into agents as old (run_id, allocation, node_index, node, host, incarnation, heard_at, ended_attempt)
      select run_id, number, ${index}::int, ${node}, ${host}, ${incarnation}, ${at}::float8, ${ended_attempt}::int from allocations
      where run_id = ${run_id} and number = ${allocation}::int and state <> 'ended' and ${index}::int < (body ->> 'nodes')::int
      on conflict (run_id, allocation, node_index) do update set
        node = excluded.node, host = excluded.host, incarnation = excluded.incarnation, heard_at = excluded.heard_at,
        ended_attempt = excluded.ended_attempt
      where (old.incarnation = excluded.incarnation and (abs(excluded.heard_at - old.heard_at) >= ${HEARD_EVERY_S}::float8
          or old.ended_attempt is distinct from excluded.ended_attempt))
        or excluded.heard_at - old.heard_at >= ${SUCCEEDED_AFTER_S}::float8
      returning incarnation
    )
    select runs.state, runs.spec, attempts.body as attempt, held.state as allocation, coalesce(taken.incarnation, before.incarnation) as incarnation,
      taken.incarnation is not null and (before.incarnation is distinct from taken.incarnation
        or before.ended_attempt is distinct from ${ended_attempt}::int
        or ${at}::float8 - before.heard_at > ${SUCCEEDED_AFTER_S}::float8) as is_news
    from runs left join attempts on attempts.run_id = runs.id and attempts.number = runs.attempt
    left join allocations as held on held.run_id = runs.id and held.number = ${allocation}::int
    left join taken on true left join before on true where runs.id = ${run_id}`.execute(database)
  return rows[0]
}
