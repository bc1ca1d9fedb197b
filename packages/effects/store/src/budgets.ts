// Limits of the budgets that gateways keep in this database (their own tables, `gateway_budgets`), changed with a trail. Gateways book what is
// spent; nothing here does.

import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent } from './events.ts'

export const BUDGETS_STREAM = 'budgets'

/** Billionths of a dollar. */
export type Budget = { readonly name: string; readonly limit_nusd: number; readonly spent_nusd: number; readonly leased_nusd: number }

/** Undefined where no gateway keeps budgets in this database. */
export async function listBudgets(database: Database, name?: string): Promise<readonly Budget[] | undefined> {
  const { rows: tables } = await sql<{ found: boolean }>`select to_regclass('gateway_budgets') is not null as found`.execute(database)
  if (!tables[0]?.found) return undefined
  const { rows } = await sql<Budget>`
    select name, limit_nusd, spent_nusd, leased_nusd from gateway_budgets where ${name ?? null}::text is null or name = ${name ?? null} order by name
  `.execute(database)
  return rows
}

type NewLimit = { readonly name: string; readonly limit_nusd: number; readonly event: (before: Budget | undefined) => NewEvent }

export function setBudget(database: Database, { name, limit_nusd, event }: NewLimit): Promise<'set' | 'no-books'> {
  return inTransaction(database, async (transaction) => {
    const { rows: tables } = await sql<{ found: boolean }>`select to_regclass('gateway_budgets') is not null as found`.execute(transaction)
    if (!tables[0]?.found) return 'no-books'
    // Of two who set it at once, the second reads what the first has set.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`budget ${name}`}, 0))`.execute(transaction)
    const { rows } = await sql<Budget>`
      select name, limit_nusd, spent_nusd, leased_nusd from gateway_budgets where name = ${name} for update`.execute(transaction)
    await sql`
      insert into gateway_budgets (name, limit_nusd) values (${name}, ${limit_nusd})
      on conflict (name) do update set limit_nusd = excluded.limit_nusd`.execute(transaction)
    await appendEvents(transaction, BUDGETS_STREAM, [event(rows[0])])
    return 'set'
  })
}
