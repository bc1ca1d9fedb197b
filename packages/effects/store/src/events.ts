// The audit trail. Every change appends its events to a stream (`run/<id>`, `principals`, ...) in its own transaction; each event
// carries the hash of the one before, so an altered or missing one shows. Locks are taken in the order lease, run, stream.

import { hash } from 'node:crypto'
import { canonicalJson } from '@ironlaw/contracts'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { jsonText } from './json-text.ts'
import type { Event } from './tables.ts'

export type NewEvent = {
  readonly kind: string
  readonly actor: string
  readonly at: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Nothing changes without at least one. */
export type NewEvents = readonly [NewEvent, ...NewEvent[]]

export const runStream = (run_id: string): string => `run/${run_id}`

const GENESIS = ''

type Link = Pick<Event, 'stream' | 'sequence' | 'at' | 'kind' | 'actor' | 'body' | 'previous_hash'>

const linkHash = ({ stream, sequence, at, kind, actor, body, previous_hash }: Link): string =>
  hash('sha256', canonicalJson({ stream, sequence, at, kind, actor, body, previous_hash }))

export async function appendEvents(database: Database, stream: string, events: NewEvents): Promise<void> {
  await appendLinks(database, stream, events)
}

export type ChainHead = Pick<Event, 'stream' | 'sequence' | 'hash'>

/** Appends, and gives the place of each event in the chain. */
export function appendLinks(database: Database, stream: string, events: NewEvents): Promise<readonly ChainHead[]> {
  return inTransaction(database, async (transaction) => {
    // The lock is a statement of its own: the next one must see what the holder before us committed.
    await sql`select pg_advisory_xact_lock(hashtextextended(${stream}, 0))`.execute(transaction)
    let { sequence, hash: previous_hash } = await head(transaction, stream)
    const rows = []
    for (const { kind, actor, at, body } of events) {
      sequence += 1
      const text = jsonText(body)
      const link = { stream, sequence, at, kind, actor, previous_hash }
      previous_hash = linkHash({ ...link, body: JSON.parse(text) })
      rows.push({ ...link, body: text, hash: previous_hash })
    }
    await transaction.insertInto('events').values(rows).execute()
    return rows.map((row) => ({ stream, sequence: row.sequence, hash: row.hash }))
  })
}

async function head(database: Database, stream: string): Promise<Pick<Event, 'sequence' | 'hash'>> {
  const last = database.selectFrom('events').select(['sequence', 'hash']).where('stream', '=', stream).orderBy('sequence', 'desc').limit(1)
  return (await last.executeTakeFirst()) ?? { sequence: 0, hash: GENESIS }
}

export function eventsOf(database: Database, stream: string, page: { readonly after: number; readonly limit: number }): Promise<Event[]> {
  return database
    .selectFrom('events')
    .selectAll()
    .where('stream', '=', stream)
    .where('sequence', '>', page.after)
    .orderBy('sequence')
    .limit(page.limit)
    .execute()
}

/** The last events of a stream, oldest first. */
export async function newestEvents(database: Database, stream: string, limit: number): Promise<Event[]> {
  const newest = database.selectFrom('events').selectAll().where('stream', '=', stream).orderBy('sequence', 'desc')
  return (await newest.limit(limit).execute()).toReversed()
}

/** A place in the feed of all streams. It survives a restart of reader and server, not a move of the data to another cluster. */
export type FeedCursor = Pick<Event, 'transaction_id' | 'feed'>

export const FEED_START: FeedCursor = { transaction_id: '0', feed: 0 }

/** Where the feed stands now: behind everything that it could have given out, before everything that it has yet to. */
export async function feedEnd(database: Database): Promise<FeedCursor> {
  const { rows } = await sql<FeedCursor>`select pg_snapshot_xmin(pg_current_snapshot())::text as transaction_id, 0 as feed`.execute(
    database,
  )
  return rows[0] ?? FEED_START
}

/**
 * Events of all streams behind a cursor, none ever skipped: only transactions older than every open one are given out. Who used the API is not
 * for everybody to read.
 */
export function feedAfter(database: Database, cursor: FeedCursor, limit: number): Promise<Event[]> {
  return database
    .selectFrom('events')
    .selectAll()
    .where(sql<boolean>`(transaction_id, feed) > (${cursor.transaction_id}::xid8, ${cursor.feed}::bigint)`)
    .where(sql<boolean>`transaction_id < pg_snapshot_xmin(pg_current_snapshot())`)
    .where('stream', 'not like', 'access/%')
    .orderBy('transaction_id')
    .orderBy('feed')
    .limit(limit)
    .execute()
}

/** `head` is worth keeping elsewhere: a chain cut off at its end is whole in itself. */
export type ChainVerdict =
  | { readonly intact: true; readonly events: number; readonly head: string }
  | { readonly intact: false; readonly sequence: number; readonly problem: 'missing' | 'altered' }

const VERIFY_PAGE = 1000

export async function verifyChain(database: Database, stream: string): Promise<ChainVerdict> {
  let sequence = 0
  let previous_hash = GENESIS
  for (;;) {
    const page = await eventsOf(database, stream, { after: sequence, limit: VERIFY_PAGE })
    for (const event of page) {
      sequence += 1
      if (event.sequence !== sequence) return { intact: false, sequence, problem: 'missing' }
      if (event.previous_hash !== previous_hash || linkHash(event) !== event.hash) return { intact: false, sequence, problem: 'altered' }
      previous_hash = event.hash
    }
    if (page.length < VERIFY_PAGE) return { intact: true, events: sequence, head: previous_hash }
  }
}
