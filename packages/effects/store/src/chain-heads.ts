// The last event of each chain, and what became of events that were known elsewhere.

import { sql } from 'kysely'
import type { Database } from './database.ts'
import type { ChainHead, FeedCursor } from './events.ts'

export type StreamHead = ChainHead

/** Of streams by name, behind one. Walks from stream to stream, however many events each has. */
export async function headsOfStreams(
  database: Database,
  { after, limit }: { after: string; limit: number },
): Promise<readonly StreamHead[]> {
  const { rows } = await sql<StreamHead>`
    with recursive streams (stream) as (
      (select stream from events where stream > ${after} order by stream limit 1)
      union all
      select (select e.stream from events e where e.stream > streams.stream order by e.stream limit 1) from streams where streams.stream is not null
    )
    select head.stream, head.sequence, head.hash
    from (select stream from streams where stream is not null limit ${limit}) named
    cross join lateral (select stream, sequence, hash from events e where e.stream = named.stream order by sequence desc limit 1) head
    order by head.stream`.execute(database)
  return rows
}

type HeadsPage = {
  readonly heads: readonly StreamHead[]
  /** Undefined where nothing is behind the cursor yet. */
  readonly next: FeedCursor | undefined
}

/** Of the streams to which events were added behind a cursor, looking at a limited number of events. */
export async function headsAfter(database: Database, cursor: FeedCursor, limit: number): Promise<HeadsPage> {
  const page = await database
    .selectFrom('events')
    .select(['stream', 'sequence', 'hash', 'transaction_id', 'feed'])
    .where(sql<boolean>`(transaction_id, feed) > (${cursor.transaction_id}::xid8, ${cursor.feed}::bigint)`)
    .where(sql<boolean>`transaction_id < pg_snapshot_xmin(pg_current_snapshot())`)
    .orderBy('transaction_id')
    .orderBy('feed')
    .limit(limit)
    .execute()
  const heads = new Map<string, StreamHead>()
  for (const { stream, sequence, hash } of page)
    if (sequence > (heads.get(stream)?.sequence ?? 0)) heads.set(stream, { stream, sequence, hash })
  const last = page.at(-1)
  return { heads: [...heads.values()], next: last && { transaction_id: last.transaction_id, feed: last.feed } }
}

/** Those of the given events that the chains do not have, or have with another content. */
export async function contradictedHeads(
  database: Database,
  heads: readonly ChainHead[],
): Promise<readonly (ChainHead & { readonly problem: 'missing' | 'altered' })[]> {
  const { rows } = await sql<ChainHead & { found: string | null }>`
    select known.stream, known.sequence, known.hash, e.hash as found
    from unnest(${heads.map(({ stream }) => stream)}::text[], ${heads.map(({ sequence }) => sequence)}::int[], ${heads.map(({ hash }) => hash)}::text[])
      as known (stream, sequence, hash)
    left join events e on e.stream = known.stream and e.sequence = known.sequence
    where e.hash is distinct from known.hash`.execute(database)
  return rows.map(({ stream, sequence, hash, found }) => ({ stream, sequence, hash, problem: found === null ? 'missing' : 'altered' }))
}
