// Sessions of people who signed in at the identity provider: in a browser, or by the command line.

import { sql, type Selectable } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent } from './events.ts'
import { jsonText } from './json-text.ts'
import { PRINCIPALS_STREAM } from './principals.ts'
import type { Sessions } from './tables.ts'

export type Session = Omit<Selectable<Sessions>, 'secret_hash'>
export type NewSession = Omit<Session, 'last_used_at'> & { readonly secret_hash: string }

/** Of one person: a few browsers and machines. A script that signs in in a loop ends its oldest sessions and does not fill the table. */
export const SESSIONS_KEPT = 50

const PUBLIC = ['id', 'kind', 'issuer', 'subject', 'name', 'groups', 'issued_at', 'expires_at', 'last_used_at'] as const

export function createSession(database: Database, { groups, ...session }: NewSession, event: NewEvent): Promise<void> {
  const { subject, issued_at } = session
  return inTransaction(database, async (transaction) => {
    await transaction.deleteFrom('sessions').where('expires_at', '<=', issued_at).execute()
    const newest = transaction
      .selectFrom('sessions')
      .select('id')
      .where('subject', '=', subject)
      .orderBy('issued_at', 'desc')
      .limit(SESSIONS_KEPT - 1)
    await transaction.deleteFrom('sessions').where('subject', '=', subject).where('id', 'not in', newest).execute()
    await transaction
      .insertInto('sessions')
      .values({ ...session, groups: jsonText(groups), last_used_at: issued_at })
      .execute()
    await appendEvents(transaction, PRINCIPALS_STREAM, [event])
  })
}

/** One that has not expired. */
export function sessionOf(database: Database, secret_hash: string, at: number): Promise<Session | undefined> {
  return database
    .selectFrom('sessions')
    .select(PUBLIC)
    .where('secret_hash', '=', secret_hash)
    .where('expires_at', '>', at)
    .executeTakeFirst()
}

/** Groups of people by their subject, as the newest session of each says that has not expired. */
export async function groupsOfPeople(
  database: Database,
  subjects: readonly string[],
  at: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<Pick<Session, 'subject' | 'groups'>>`
    select distinct on (subject) subject, groups from sessions
    where subject = any (${subjects}::text[]) and expires_at > ${at}::float8 order by subject, issued_at desc`.execute(database)
  return new Map(rows.map(({ subject, groups }) => [subject, groups]))
}

export async function recordSessionUse(database: Database, id: string, at: number): Promise<void> {
  // Requests of one page come together, in any order.
  await database
    .updateTable('sessions')
    .set({ last_used_at: sql<number>`greatest(last_used_at, ${at})` })
    .where('id', '=', id)
    .execute()
}

export function listSessions(database: Database, at: number): Promise<Session[]> {
  return database.selectFrom('sessions').select(PUBLIC).where('expires_at', '>', at).orderBy('issued_at').orderBy('id').execute()
}

export function endSession(database: Database, id: string, event: NewEvent): Promise<'applied' | 'unknown'> {
  return inTransaction(database, async (transaction) => {
    const ended = await transaction.deleteFrom('sessions').where('id', '=', id).returning('id').executeTakeFirst()
    if (!ended) return 'unknown'
    await appendEvents(transaction, PRINCIPALS_STREAM, [event])
    return 'applied'
  })
}
