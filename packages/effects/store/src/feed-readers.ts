// Readers of the feed that keep their place across restarts. Of several control planes one reads for a reader at a time: a transaction that
// stayed open while something is sent would hold up the feed itself, so a term does it.

import { sql } from 'kysely'
import type { Database } from './database.ts'
import { FEED_START, type FeedCursor } from './events.ts'

export type FeedReader = { readonly name: string; readonly holder: string }

type Term = { readonly at: number; readonly until_at: number }

/** Where to read on; a new reader begins with the first event. Undefined while another process reads. Repeated by the same one, it extends the term. */
export async function takeFeedReader(
  database: Database,
  { name, holder }: FeedReader,
  { at, until_at }: Term,
): Promise<FeedCursor | undefined> {
  const { rows } = await sql<FeedCursor>`
    insert into feed_readers (name, transaction_id, feed, holder, until_at)
    values (${name}, ${FEED_START.transaction_id}::xid8, ${FEED_START.feed}::bigint, ${holder}, ${until_at}::float8)
    on conflict (name) do update set holder = excluded.holder, until_at = excluded.until_at
    where feed_readers.holder = excluded.holder or feed_readers.until_at < ${at}::float8
    returning transaction_id::text as transaction_id, feed`.execute(database)
  return rows[0]
}

type Move = { readonly cursor: FeedCursor; readonly until_at: number }

/** 'lost' when another process reads by now, which goes on where this one stood before. */
export async function moveFeedReader(
  database: Database,
  { name, holder }: FeedReader,
  { cursor, until_at }: Move,
): Promise<'moved' | 'lost'> {
  const { rows } = await sql`
    update feed_readers set transaction_id = ${cursor.transaction_id}::xid8, feed = ${cursor.feed}::bigint, until_at = ${until_at}::float8
    where name = ${name} and holder = ${holder}
    returning name`.execute(database)
  return rows.length === 1 ? 'moved' : 'lost'
}

/** The next process need not wait for the end of the term. */
export async function leaveFeedReader(database: Database, { name, holder }: FeedReader): Promise<void> {
  await sql`update feed_readers set until_at = 0 where name = ${name} and holder = ${holder}`.execute(database)
}
