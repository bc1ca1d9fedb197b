// The books of the fleet: what runs add when they have ended and nothing more is taken of them. Reading them costs by days and
// projects, not by runs.

import { DAY_S, type BookCounts, type BookedCause, type FleetGrouping, type RunBook } from '@ironlaw/contracts/ledger-fleet'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { inProjects, type ProjectScope } from './project-scope.ts'
import { jsonText } from './json-text.ts'
import type { Run } from './tables.ts'

/**
 * How long after its end reports of a run are accepted; then its tokens expire and its time is booked. Agents deliver within seconds, and
 * the reconciler reads from storage what they could not deliver while the API was away, before it ends a run.
 */
export const BOOKS_OPEN_S = 600

/** Runs whose books are to be closed, longest due first. */
export async function dueForBooking(
  database: Database,
  { at, limit }: { readonly at: number; readonly limit: number },
): Promise<readonly Run[]> {
  return database
    .selectFrom('unbooked')
    .innerJoin('runs', 'runs.id', 'unbooked.run_id')
    .selectAll('runs')
    .where('due_at', '<=', at)
    .orderBy('due_at')
    .limit(limit)
    .execute()
}

/** A run that could not be accounted for must not hold up the others. */
export async function postponeBooking(database: Database, { run_id, due_at }: { readonly run_id: string; readonly due_at: number }) {
  await database.updateTable('unbooked').set({ due_at }).where('run_id', '=', run_id).execute()
}

type BookedRun = Pick<Run, 'id' | 'team' | 'project'> & { readonly ended_at: number }

/** Adds a run to the day on which it ended, once: 'repeated' when it was added before. */
export function bookRun(database: Database, { id, team, project, ended_at }: BookedRun, book: RunBook): Promise<'booked' | 'repeated'> {
  return inTransaction(database, async (transaction) => {
    const open = await transaction.deleteFrom('unbooked').where('run_id', '=', id).returning('run_id').executeTakeFirst()
    if (!open) return 'repeated'
    await addToBooks(transaction, { id, team, project, ended_at }, book)
    return 'booked'
  })
}

async function addToBooks(database: Database, { team, project, ended_at }: BookedRun, book: RunBook): Promise<void> {
  const of = { day: Math.floor(ended_at / DAY_S), team, project }
  await sql`
      insert into ledger_days as old select given.* from jsonb_populate_record(null::ledger_days, ${jsonText({ ...of, ...book.counts })}::jsonb) as given
      on conflict (day, team, project) do update set runs = old.runs + excluded.runs, planned = old.planned + excluded.planned,
        priced = old.priced + excluded.priced, powered = old.powered + excluded.powered, located = old.located + excluded.located,
        peak_accelerator_s = old.peak_accelerator_s + excluded.peak_accelerator_s,
        rated_accelerator_s = old.rated_accelerator_s + excluded.rated_accelerator_s`.execute(database)
  const causes = book.causes.map((entry) => ({ ...of, ...entry }))
  await sql`
      insert into ledger_causes as old select given.* from jsonb_populate_recordset(null::ledger_causes, ${jsonText(causes)}::jsonb) as given
      on conflict (day, team, project, cause) do update set accelerator_s = old.accelerator_s + excluded.accelerator_s,
        predicted_accelerator_s = old.predicted_accelerator_s + excluded.predicted_accelerator_s,
        gap_accelerator_s = old.gap_accelerator_s + excluded.gap_accelerator_s, cost_usd = old.cost_usd + excluded.cost_usd,
        energy_j = old.energy_j + excluded.energy_j, carbon_g = old.carbon_g + excluded.carbon_g`.execute(database)
}

/** The run continues: its books are open again. False when they had been closed, and what was booked must be taken out. */
export async function reopenBooks(database: Database, run_id: string): Promise<boolean> {
  return (await database.deleteFrom('unbooked').where('run_id', '=', run_id).returning('run_id').executeTakeFirst()) !== undefined
}

/** Takes out what `bookRun` added for a run that had ended and continues. */
export function takeOutOfBooks(database: Database, run: BookedRun, book: RunBook): Promise<void> {
  return addToBooks(database, run, { counts: negatedEntry(book.counts), causes: book.causes.map((entry) => negatedEntry(entry)) })
}

const negatedEntry = <T extends object>(entry: T): T =>
  Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, typeof value === 'number' ? -value : value])) as T

type BooksQuery = { readonly from_at: number; readonly by: FleetGrouping; readonly projects?: ProjectScope }

/** Sums over the days since (the one of `from_at` with them), by team or project; under one empty name otherwise. */
export async function booksSince(database: Database, { from_at, by, projects = '*' }: BooksQuery): Promise<ReadonlyMap<string, RunBook>> {
  const name = by === 'cause' ? sql.lit('') : sql.ref(by)
  const day = Math.floor(from_at / DAY_S)
  const [counts, causes] = await Promise.all([
    sql<BookCounts & { name: string }>`
      select ${name} as name, sum(runs) as runs, sum(planned) as planned, sum(priced) as priced, sum(powered) as powered,
        sum(located) as located, sum(peak_accelerator_s) as peak_accelerator_s, sum(rated_accelerator_s) as rated_accelerator_s
      from ledger_days where day >= ${day} and ${inProjects(projects)} group by 1`.execute(database),
    sql<BookedCause & { name: string }>`
      select ${name} as name, cause, sum(accelerator_s) as accelerator_s, sum(predicted_accelerator_s) as predicted_accelerator_s,
        sum(gap_accelerator_s) as gap_accelerator_s, sum(cost_usd) as cost_usd, sum(energy_j) as energy_j, sum(carbon_g) as carbon_g
      from ledger_causes where day >= ${day} and ${inProjects(projects)} group by 1, 2`.execute(database),
  ])
  const grouped = Map.groupBy(causes.rows, (row) => row.name)
  return new Map(counts.rows.map((row) => [row.name, { counts: row, causes: grouped.get(row.name) ?? [] }]))
}

export async function unbookedRuns(database: Database, projects: ProjectScope = '*'): Promise<number> {
  const visible = database.selectFrom('runs').select('id').where(inProjects(projects))
  const all = database.selectFrom('unbooked')
  const { count } = await (projects === '*' ? all : all.where('run_id', 'in', visible))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
