// Who may ask. Only the SHA-256 of a token is here, and no answer contains it.

import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent } from './events.ts'
import type { Principal } from './tables.ts'

export const PRINCIPALS_STREAM = 'principals'

const PUBLIC = ['id', 'name', 'role', 'run_id', 'created_at', 'revoked_at'] as const

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

export function principalOfToken(database: Database, token_hash: string): Promise<Principal | undefined> {
  const valid = database.selectFrom('principals').select(PUBLIC).where('token_hash', '=', token_hash).where('revoked_at', 'is', null)
  return valid.executeTakeFirst()
}

export function listPrincipals(database: Database): Promise<Principal[]> {
  return database.selectFrom('principals').select(PUBLIC).where('role', '<>', 'run').orderBy('created_at').orderBy('id').execute()
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
