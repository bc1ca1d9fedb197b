// What runs cost on disk, and which statements cost most.

import type { Database } from '@ironlaw/store'
import { sql } from 'kysely'

export type TableSize = { readonly name: string; readonly rows: number; readonly bytes: number }

export async function tableSizes(database: Database): Promise<readonly TableSize[]> {
  // Counters of live rows lag behind, and count twice what a vacuum has counted meanwhile.
  await sql`analyze`.execute(database)
  const { rows } = await sql<TableSize>`
    select relname as name, greatest(reltuples, 0) as rows, pg_total_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not in ('lags', 'looks') and pg_total_relation_size(oid) > 100000 order by 3 desc`.execute(
    database,
  )
  return rows
}

export type Statement = { readonly text: string; readonly calls: number; readonly seconds: number }

export const forgetStatements = (database: Database): Promise<unknown> => sql`select pg_stat_statements_reset()`.execute(database)

/** In all statements together. */
export async function statementSeconds(database: Database): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`select sum(total_exec_time) / 1000 as seconds from pg_stat_statements`.execute(database)
  return rows[0]?.seconds ?? 0
}

/** Those of the control plane, most time first. */
export async function costliest(database: Database, limit: number): Promise<readonly Statement[]> {
  const { rows } = await sql<Statement>`
    select left(regexp_replace(query, '[[:space:]]+', ' ', 'g'), 60) as text, calls, total_exec_time / 1000 as seconds from pg_stat_statements
    where query !~ 'pg_stat|looks' order by total_exec_time desc limit ${limit}`.execute(database)
  return rows
}
