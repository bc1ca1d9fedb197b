// The teams document. It is replaced as a whole, and every one that was in force is kept under its number.

import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent } from './events.ts'
import { jsonText } from './json-text.ts'
import type { JsonObject } from './tables.ts'

export const TEAMS_STREAM = 'teams'

export type StoredTeams = { readonly number: number; readonly etag: string; readonly body: JsonObject }

/** The one in force; undefined before the first. */
export function teamsDocument(database: Database): Promise<StoredTeams | undefined> {
  return database.selectFrom('teams_documents').select(['number', 'etag', 'body']).orderBy('number', 'desc').limit(1).executeTakeFirst()
}

type TeamsEdit = {
  readonly teams: object
  /** Which document the writer has seen; '*' is any, undefined none. */
  readonly seen: string | undefined
  readonly event: (before: JsonObject | undefined) => NewEvent
}

export type TeamsEditResult = { readonly answer: 'stored' | 'unseen' | 'stale'; readonly etag: string; readonly number: number }

/** Replaces the document only where the writer has seen the one that is there. */
export function replaceTeams(database: Database, { teams, seen, event }: TeamsEdit): Promise<TeamsEditResult> {
  return inTransaction(database, async (transaction) => {
    // The lock is a statement of its own: the next one must see what the holder before us committed.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`documents of ${TEAMS_STREAM}`}, 0))`.execute(transaction)
    const before = await teamsDocument(transaction)
    const { number: last = 0, etag: current = '' } = before ?? {}
    if (seen === undefined && before) return { answer: 'unseen', etag: current, number: last }
    if (seen !== undefined && seen !== '*' && seen !== current) return { answer: 'stale', etag: current, number: last }
    const number = last + 1
    const text = jsonText(teams)
    const etag = hash('sha256', `${number}\n${text}`).slice(0, 32)
    const made = event(before?.body)
    await transaction.insertInto('teams_documents').values({ number, body: text, etag, created_at: made.at }).execute()
    await appendEvents(transaction, TEAMS_STREAM, [{ ...made, body: { ...made.body, number, etag } }])
    return { answer: 'stored', etag, number }
  })
}
