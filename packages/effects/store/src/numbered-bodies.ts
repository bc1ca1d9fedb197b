// What a run has several of, numbered from one: attempts and allocations. Each is a document with its number, written only together with
// its run, under the run's lease.

import type { Allocation, Attempt } from '@ironlaw/contracts'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { jsonText } from './json-text.ts'

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

/** In order of their numbers, for each of the runs that has any. */
export async function numberedOf<Table extends keyof NumberedBodies>(
  database: Database,
  table: Table,
  run_ids: readonly string[],
): Promise<ReadonlyMap<string, readonly NumberedBodies[Table][]>> {
  if (run_ids.length === 0) return new Map()
  const { rows } = await sql<{ readonly run_id: string; readonly body: NumberedBodies[Table] }>`
    select run_id, body from ${sql.table(table)} where run_id = any (${run_ids}::text[]) order by run_id, number`.execute(database)
  return new Map([...Map.groupBy(rows, ({ run_id }) => run_id)].map(([run_id, group]) => [run_id, group.map(({ body }) => body)]))
}
