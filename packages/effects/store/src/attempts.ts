// The attempts (jobs) of runs. They are written only together with their run, under its lease.

import type { Attempt } from '@ironlaw/contracts'
import { sql } from 'kysely'
import type { Database } from './database.ts'
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
