// Who may move a run. A lease carries a token that rises each time it is given out, and every write of a lessee names its token: one
// that slept past its time finds another token in the row and writes nothing ('stale'). Whether a lease has expired is no question
// then; expiry only decides when the next one may have it.

import { type Allocation, type Attempt, type AttemptOutcome, isTerminal, type RunState } from '@ironlaw/contracts'
import { sql } from 'kysely'
import { BOOKS_OPEN_S } from './books.ts'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvents, runStream } from './events.ts'
import { jsonText } from './json-text.ts'
import { type LeaseRequest, nextLook, takeDue } from './lease-columns.ts'
import { putNumbered } from './numbered-bodies.ts'
import type { Run } from './tables.ts'

export type Lease = { readonly run: Run; readonly token: number }

/** Leases runs that are due, longest due first. The runs are read after the leases were won: what was read before may be old. */
export async function leaseDue(database: Database, request: LeaseRequest): Promise<readonly Lease[]> {
  const rows = await takeDue(database, 'leases', request)
  if (rows.length === 0) return []
  const ids = rows.map(({ run_id }) => run_id)
  const runs = await database
    .selectFrom('runs')
    .selectAll()
    .where(sql<boolean>`id = any (${ids}::text[])`)
    .execute()
  const tokens = new Map(rows.map(({ run_id, token }) => [run_id, token]))
  return runs.flatMap((run) => {
    const token = tokens.get(run.id)
    return token === undefined ? [] : [{ run, token }]
  })
}

export type HeldLease = { readonly run_id: string; readonly token: number }

export type RunChange = {
  readonly at: number
  readonly events: NewEvents
  readonly state?: RunState
  readonly attempt?: number
  readonly wait_reason?: string | null
  readonly verdict?: AttemptOutcome
  readonly attempts?: readonly Attempt[]
  readonly allocations?: readonly Allocation[]
  readonly forgiven?: number
  /** Gives the lease back until then; absent, it is kept for a further change. */
  readonly next_look_at?: number
}

/** Changes a run under its lease, with the events that tell of it, all or nothing. A terminal state also ends the lease for good. */
export function applyUnderLease(database: Database, { run_id, token }: HeldLease, change: RunChange): Promise<'applied' | 'stale'> {
  return inTransaction(database, async (transaction) => {
    const held = await transaction
      .selectFrom('leases')
      .select('run_id')
      .where('run_id', '=', run_id)
      .where('token', '=', token)
      .forUpdate()
      .executeTakeFirst()
    if (!held) return 'stale'
    await updateRun(transaction, run_id, change)
    await putNumbered(transaction, 'attempts', { run_id, bodies: change.attempts ?? [] })
    await putNumbered(transaction, 'allocations', { run_id, bodies: change.allocations ?? [] })
    if (change.state && isTerminal(change.state)) await endLease(transaction, run_id, change.at)
    else if (change.next_look_at !== undefined) await giveBack(transaction, [{ run_id, token, next_look_at: change.next_look_at }])
    await appendEvents(transaction, runStream(run_id), change.events)
    return 'applied'
  })
}

async function endLease(database: Database, run_id: string, at: number): Promise<void> {
  await database.deleteFrom('leases').where('run_id', '=', run_id).execute()
  await database
    .insertInto('unbooked')
    .values({ run_id, due_at: at + BOOKS_OPEN_S })
    .execute()
  await sql`
    insert into releases (run_id, number, due_at) select run_id, number, ${at}::float8 from allocations
    where run_id = ${run_id} and state <> 'ended' on conflict do nothing`.execute(database)
}

async function updateRun(
  database: Database,
  run_id: string,
  { at, state, attempt, wait_reason, verdict, forgiven }: RunChange,
): Promise<void> {
  await database
    .updateTable('runs')
    .set({
      version: sql`version + 1`,
      ...(state === undefined ? {} : { state, state_since_at: sql`case when state = ${state} then state_since_at else ${at} end` }),
      ...(state !== undefined && isTerminal(state) ? { ended_at: at } : {}),
      ...(attempt === undefined ? {} : { attempt }),
      ...(wait_reason === undefined ? {} : { wait_reason }),
      ...(forgiven === undefined ? {} : { forgiven }),
      ...(verdict === undefined ? {} : { verdict: jsonText(verdict) }),
    })
    .where('id', '=', run_id)
    .execute()
}

/** Gives leases back unchanged, a whole round at once; those taken over meanwhile are left alone. */
export async function giveBack(database: Database, leases: readonly (HeldLease & { readonly next_look_at: number })[]): Promise<void> {
  await sql`
    update leases set holder = null, until_at = 0, next_look_at = ${nextLook('leases', sql`given.next_look_at`)}
    from jsonb_to_recordset(${jsonText(leases)}::jsonb) as given (run_id text, token bigint, next_look_at float8)
    where leases.run_id = given.run_id and leases.token = given.token`.execute(database)
}

/** Asks for a look at a run at once; while it is leased, right after it is given back. */
export async function wake(database: Database, { run_id, at }: { readonly run_id: string; readonly at: number }): Promise<void> {
  await database
    .updateTable('leases')
    .set({ next_look_at: sql`least(next_look_at, ${at})` })
    .where('run_id', '=', run_id)
    .execute()
}
