// One-time codes. Taking one deletes it, so that of any number of requests and control planes one gets it.

import type { Selectable } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import type { LoginCodes } from './tables.ts'

export type LoginCode = Selectable<LoginCodes>

/** Of one principal at a time: a person opens a few tabs, a script that makes codes in a loop does not fill the table. */
export const CODES_KEPT = 20

/** The oldest of a principal that has too many go, and whatever expired. */
export function keepLoginCode(database: Database, code: LoginCode, now: number): Promise<void> {
  return inTransaction(database, async (transaction) => {
    await transaction.deleteFrom('login_codes').where('expires_at', '<=', now).execute()
    const newest = transaction
      .selectFrom('login_codes')
      .select('code_hash')
      .where('principal_id', '=', code.principal_id)
      .orderBy('expires_at', 'desc')
      .limit(CODES_KEPT - 1)
    await transaction.deleteFrom('login_codes').where('principal_id', '=', code.principal_id).where('code_hash', 'not in', newest).execute()
    await transaction.insertInto('login_codes').values(code).execute()
  })
}

/** Undefined where no code has that hash, or it was used or has expired. */
export function takeLoginCode(database: Database, code_hash: string, now: number): Promise<LoginCode | undefined> {
  return database
    .deleteFrom('login_codes')
    .where('code_hash', '=', code_hash)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}
