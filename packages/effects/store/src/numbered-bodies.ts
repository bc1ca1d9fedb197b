// What a run has several of, numbered from one: attempts and allocations. Each is a document with its number, written only together with
// its run, under the run's lease.

import type { Allocation, Attempt } from '@ironlaw/contracts'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { jsonText } from './json-text.ts'
import { type BodyRow, type BodyTable, type StoredBodies, storedBodies } from './stored-bodies.ts'

type NumberedBodies = { readonly attempts: Attempt; readonly allocations: Allocation }

export async function putNumbered<Table extends keyof NumberedBodies>(
  database: Database,
  table: Table,
  { run_id, bodies }: { readonly run_id: string; readonly bodies: readonly NumberedBodies[Table][] },
): Promise<void> {
  if (bodies.length === 0) return
  const rows = bodies.map((body) => sql`(${run_id}, ${body.number}::int, ${jsonText(body)}::jsonb)`)
  await sql`
    insert into ${sql.table(table)} (run_id, number, body) values ${sql.join(rows)}
    on conflict (run_id, number) do update set body = excluded.body`.execute(database)
}

/** Of each of the runs, in order of their numbers. */
export async function numberedOf<Body>(database: Database, of: BodyTable<Body>, run_ids: readonly string[]): Promise<StoredBodies<Body>> {
  if (run_ids.length === 0) return storedBodies(of, [])
  const { rows } = await sql<BodyRow>`
    select run_id as owner, 'number ' || number as name, body from ${sql.table(of.table)} where run_id = any (${run_ids}::text[])
    order by run_id, number`.execute(database)
  return storedBodies(of, rows)
}
