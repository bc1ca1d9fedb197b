// Who may ask. Only the SHA-256 of a token is here, and no answer contains it.

import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent } from './events.ts'
import type { Principal } from './tables.ts'

export const PRINCIPALS_STREAM = 'principals'

const PUBLIC = ['id', 'name', 'role', 'run_id', 'gateway_id', 'created_at', 'revoked_at'] as const

export type NewPrincipal = Pick<Principal, 'id' | 'name' | 'role'> & { readonly run_id?: string; readonly token_hash: string }

export function createPrincipal(database: Database, principal: NewPrincipal, event: NewEvent): Promise<void> {
  return inTransaction(database, async (transaction) => {
    await transaction
      .insertInto('principals')
      .values({ ...principal, created_at: event.at })
      .execute()
    await appendEvents(transaction, PRINCIPALS_STREAM, [event])
  })
}

/** `ended_at`: when the run of a run's token ended. */
export type Bearer = Principal & { readonly ended_at: number | null }

/** Those whose token is valid, by its hash. */
export async function bearersOf(database: Database, token_hashes: readonly string[]): Promise<ReadonlyMap<string, Bearer>> {
  const rows = await database
    .selectFrom('principals')
    .leftJoin('runs', 'runs.id', 'principals.run_id')
    .select([...PUBLIC.map((name) => `principals.${name}` as const), 'token_hash', 'runs.ended_at'])
    .where(sql<boolean>`token_hash = any (${token_hashes}::text[])`)
    .where('revoked_at', 'is', null)
    .execute()
  return new Map(rows.map(({ token_hash, ...bearer }) => [token_hash, bearer]))
}

export function listPrincipals(database: Database): Promise<Principal[]> {
  return database.selectFrom('principals').select(PUBLIC).where('role', '<>', 'run').orderBy('created_at').orderBy('id').execute()
}

type Binding = { readonly id: string; readonly gateway: string; readonly event: NewEvent }

/**
 * Has a token that was not used yet speak for one gateway from now on. 'taken': another valid token speaks for it, and this one does not carry its
 * name, by which an administrator would have meant it as a replacement.
 */
export function bindGateway(database: Database, { id, gateway, event }: Binding): Promise<'bound' | 'taken'> {
  return inTransaction(database, async (transaction) => {
    const bound = await transaction
      .updateTable('principals')
      .set({ gateway_id: gateway })
      .where('id', '=', id)
      .where('gateway_id', 'is', null)
      .where(
        sql<boolean>`(name = ${gateway} or not exists (select 1 from principals other where other.gateway_id = ${gateway} and other.revoked_at is null))`,
      )
      .returning('id')
      .executeTakeFirst()
    if (!bound) return 'taken'
    await appendEvents(transaction, PRINCIPALS_STREAM, [event])
    return 'bound'
  })
}

export function revokePrincipal(database: Database, id: string, event: NewEvent): Promise<'applied' | 'unknown'> {
  return inTransaction(database, async (transaction) => {
    const revoked = await transaction
      .updateTable('principals')
      .set({ revoked_at: event.at })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (!revoked) return 'unknown'
    await appendEvents(transaction, PRINCIPALS_STREAM, [event])
    return 'applied'
  })
}
