// The trail of access to the API: one stream of events for each day, so that a chain stays short. Nothing else writes to these streams, and
// the feed of events that everybody may watch leaves them out.

import { sql } from 'kysely'
import type { Database } from './database.ts'
import type { Event } from './tables.ts'

/** By the calendar of UTC. */
export const accessStream = (at: number): string => `access/${new Date(at * 1000).toISOString().slice(0, 10)}`

const OF_TRAIL = sql<boolean>`stream like 'access/%'`

export type AccessFilter = {
  /** Only records of these projects. */
  readonly projects?: readonly string[]
  readonly who?: string
  readonly since_at?: number
  readonly kinds?: readonly string[]
}

export type AccessPosition = Pick<Event, 'at' | 'stream' | 'sequence'>

type AccessPage = { readonly limit: number; readonly before?: AccessPosition }

/** Newest first. */
export function listAccess(
  database: Database,
  { projects, who, since_at, kinds }: AccessFilter,
  { limit, before }: AccessPage,
): Promise<Event[]> {
  return database
    .selectFrom('events')
    .selectAll()
    .where(OF_TRAIL)
    .$if(projects !== undefined, (query) => query.where(sql<boolean>`body ->> 'project' = any (${projects ?? []}::text[])`))
    .$if(who !== undefined, (query) => query.where('actor', '=', who ?? ''))
    .$if(since_at !== undefined, (query) => query.where('at', '>=', since_at ?? 0))
    .$if(kinds !== undefined, (query) => query.where('kind', 'in', kinds ?? []))
    .$if(before !== undefined, (query) =>
      query.where(sql<boolean>`(at, stream, sequence) < (${before?.at}::float8, ${before?.stream}::text, ${before?.sequence}::int)`),
    )
    .orderBy('at', 'desc')
    .orderBy('stream', 'desc')
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute()
}
