// The four columns of a lease, as every reconciler uses them: `next_look_at`, `until_at`, `token`, `holder`. Runs have them in a narrow table
// of their own, deployments in their row (docs/decisions/2026-11-17-one-lease-two-tables.md).

import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

export type LeaseRequest = { readonly holder: string; readonly at: number; readonly lease_s: number; readonly limit: number }

/** Which rows can be leased at all; each is the condition of the index on `next_look_at`. */
const LEASABLE = { leases: sql`true`, deployments: sql`state <> 'removed'` }

type LeasedTable = keyof typeof LEASABLE

/**
 * No look is put off, and no lease lasts, for longer than this: what lies further ahead was written by a clock that was wrong, by an hour or by
 * ten years, and is due now. Fencing does not rest on clocks, so a look that comes too early does no harm. Far longer than a lease (30 s) or any
 * wait (seconds), so that clocks which differ by a minute or two do not take leases from each other.
 */
const FURTHEST_S = 300

/** Leases rows that are due, longest due first, each with a higher token than before. */
export async function takeDue<Table extends LeasedTable>(
  database: Database,
  table: Table,
  { holder, at, lease_s, limit }: LeaseRequest,
): Promise<readonly Selectable<Tables[Table]>[]> {
  const leased = sql.table(table)
  const dueWhere = (due: RawBuilder<unknown>) => sql`array(
    select ctid from ${leased} where ${LEASABLE[table]} and ${due} and (until_at <= ${at} or until_at > ${at + FURTHEST_S})
    order by next_look_at limit ${limit} for update skip locked)`
  // By place in the table: joined by key, the planner reads all leases at 10,000 of them, 2.0 ms instead of 0.3 for 64.
  const { rows } = await sql<Selectable<Tables[Table]>>`
    update ${leased} set holder = ${holder}, until_at = ${at + lease_s}, next_look_at = ${at + lease_s}, token = token + 1
    where ctid = any ((${dueWhere(sql`next_look_at <= ${at}`)} || ${dueWhere(sql`next_look_at > ${at + FURTHEST_S}`)})[1:${limit}::integer])
    returning *`.execute(database)
  return rows
}

/** The next look of a lease that is given back: a look requested meanwhile is kept. */
export const nextLook = (table: LeasedTable, chosen: RawBuilder<number>): RawBuilder<number> => {
  const [next, until] = [sql.ref<number>(`${table}.next_look_at`), sql.ref<number>(`${table}.until_at`)]
  return sql<number>`case when ${next} < ${until} then ${next} else ${chosen} end`
}
