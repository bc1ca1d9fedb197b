// Who may ask. Only the SHA-256 of a token is here, and no answer contains it.

import type { Grant } from '@ironlaw/contracts'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent } from './events.ts'
import { jsonText } from './json-text.ts'
import type { Principal } from './tables.ts'

export const PRINCIPALS_STREAM = 'principals'

const PUBLIC = ['id', 'name', 'role', 'run_id', 'gateway_id', 'created_at', 'revoked_at', 'grants', 'expires_at', 'last_used_at'] as const

export type NewPrincipal = Pick<Principal, 'id' | 'name' | 'role'> & {
  readonly run_id?: string
  readonly gateway_id?: string
  readonly grants?: readonly Grant[]
  readonly expires_at?: number
  readonly token_hash: string
}

export function createPrincipal(database: Database, { grants = [], ...principal }: NewPrincipal, event: NewEvent): Promise<void> {
  return inTransaction(database, async (transaction) => {
    await transaction
      .insertInto('principals')
      .values({ ...principal, grants: jsonText(grants), created_at: event.at, issued_by: event.actor })
      .execute()
    await appendEvents(transaction, PRINCIPALS_STREAM, [event])
  })
}

/** `ended_at` and `project`: of the run of a run's token. */
export type Bearer = Principal & { readonly ended_at: number | null; readonly project: string | null }

type Presented = { readonly hashes: readonly string[]; readonly at: number }

/** Those whose token is valid, by its hash. */
export async function bearersOf(database: Database, { hashes, at }: Presented): Promise<ReadonlyMap<string, Bearer>> {
  const rows = await database
    .selectFrom('principals')
    .leftJoin('runs', 'runs.id', 'principals.run_id')
    .select([
      ...PUBLIC.map((name) => `principals.${name}` as const),
      'token_hash',
      'runs.ended_at',
      'runs.project',
      sql<string | null>`case when old_until_at > ${at}::float8 then old_hash end`.as('old_hash'),
    ])
    .where(sql<boolean>`(token_hash = any (${hashes}::text[]) or (old_hash = any (${hashes}::text[]) and old_until_at > ${at}::float8))`)
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`(expires_at is null or expires_at > ${at}::float8)`)
    .execute()
  return new Map(
    rows.flatMap(({ token_hash, old_hash, ...bearer }) =>
      [token_hash, ...(old_hash === null ? [] : [old_hash])].map((each) => [each, bearer]),
    ),
  )
}

/** Records when tokens were used. */
export async function recordUse(database: Database, ids: readonly string[], at: number): Promise<void> {
  await database
    .updateTable('principals')
    .set({ last_used_at: at })
    .where(sql<boolean>`id = any (${ids}::text[])`)
    .execute()
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

type Rotation = {
  readonly id: string
  readonly token_hash: string
  readonly old_until_at: number
  readonly expires_at?: number
  readonly event: NewEvent
}

/** Gives a valid token a new secret; the one before stays valid until a time. */
export function rotatePrincipal(
  database: Database,
  { id, token_hash, old_until_at, expires_at, event }: Rotation,
): Promise<'applied' | 'unknown'> {
  return inTransaction(database, async (transaction) => {
    const rotated = await transaction
      .updateTable('principals')
      .set({
        old_hash: sql`token_hash`,
        old_until_at,
        token_hash,
        ...(expires_at !== undefined && { expires_at }),
        // Who made it may hold a secret that its owner only renews.
        ...(event.actor !== id && { issued_by: event.actor }),
      })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (!rotated) return 'unknown'
    await appendEvents(transaction, PRINCIPALS_STREAM, [event])
    return 'applied'
  })
}

/** A token of a person or gateway that was not revoked. */
export function principalNamed(database: Database, id: string): Promise<Principal | undefined> {
  return database
    .selectFrom('principals')
    .select(PUBLIC)
    .where('id', '=', id)
    .where('role', '<>', 'run')
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
}

export type TokenOwner = Pick<Principal, 'id' | 'grants'> & {
  /** Who made the token, or gave it its secret since. */
  readonly issued_by: string | null
  readonly isValid: boolean
}

/** Tokens of people by their ids, also those that are not valid any more. */
export async function tokenOwners(database: Database, ids: readonly string[], at: number): Promise<readonly TokenOwner[]> {
  return database
    .selectFrom('principals')
    .select([
      'id',
      'grants',
      'issued_by',
      sql<boolean>`(revoked_at is null and (expires_at is null or expires_at > ${at}::float8))`.as('isValid'),
    ])
    .where(sql<boolean>`id = any (${ids}::text[])`)
    .where('role', '=', 'person')
    .execute()
}
