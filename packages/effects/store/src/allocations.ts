// The allocations of runs, and those that are still to be given back after a run's end.

import type { Allocation, RunState } from '@ironlaw/contracts'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { numberedOf } from './numbered-bodies.ts'
import { ALLOCATIONS, type StoredBodies } from './stored-bodies.ts'

/** Ended ones too: the next number follows from them. */
export const allocationsOf = (database: Database, run_ids: readonly string[]): Promise<StoredBodies<Allocation>> =>
  numberedOf(database, ALLOCATIONS, run_ids)

export type Release = { readonly run_id: string; readonly number: number; readonly run_state: RunState; readonly ended_at: number }

/** Allocations of ended runs that are due for a look, oldest first. */
export async function dueReleases(
  database: Database,
  { at, limit }: { readonly at: number; readonly limit: number },
): Promise<readonly Release[]> {
  return (
    database
      .selectFrom('releases')
      .innerJoin('runs', 'runs.id', 'releases.run_id')
      .select(['releases.run_id', 'releases.number', 'runs.state as run_state', sql<number>`coalesce(runs.ended_at, 0)`.as('ended_at')])
      .where('due_at', '<=', at)
      // A run that was resumed needs its nodes again.
      .where('runs.ended_at', 'is not', null)
      .orderBy('due_at')
      .orderBy('releases.run_id')
      .orderBy('releases.number')
      .limit(limit)
      .execute()
  )
}

export async function postponeRelease(
  database: Database,
  { run_id, number, due_at }: { readonly run_id: string; readonly number: number; readonly due_at: number },
): Promise<void> {
  await database.updateTable('releases').set({ due_at }).where('run_id', '=', run_id).where('number', '=', number).execute()
}

export function finishRelease(
  database: Database,
  { run_id, number, at }: { readonly run_id: string; readonly number: number; readonly at: number },
): Promise<void> {
  return inTransaction(database, async (transaction) => {
    await sql`
      update allocations set body = body || jsonb_build_object('state', 'ended', 'endedAt', ${at}::float8)
      where run_id = ${run_id} and number = ${number}::int and state <> 'ended'`.execute(transaction)
    await transaction.deleteFrom('releases').where('run_id', '=', run_id).where('number', '=', number).execute()
  })
}
