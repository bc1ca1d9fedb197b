// The feed of all streams as a caller of some projects sees it: events of their runs and deployments.

import { sql } from 'kysely'
import type { Database } from './database.ts'
import { type FeedCursor, feedAfter } from './events.ts'
import type { Event } from './tables.ts'

const PAGE = 1000
/** A call looks through this many pages; the reader goes on where it stopped. */
const MOST_PAGES = 10

export type ProjectFeed = {
  readonly events: readonly Event[]
  /** Behind the last event that was looked at. */
  readonly reached: FeedCursor
  /** There may be more behind it. */
  readonly hasMore: boolean
}

type FeedQuery = { readonly after: FeedCursor; readonly limit: number; readonly projects: readonly string[] }

export async function projectFeed(database: Database, { after, limit, projects }: FeedQuery): Promise<ProjectFeed> {
  let reached = after
  const events: Event[] = []
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await feedAfter(database, reached, PAGE)
    const visible = await visibleStreams(database, page, projects)
    for (const event of page) {
      reached = event
      if (visible.has(event.stream)) events.push(event)
      if (events.length === limit) return { events, reached, hasMore: true }
    }
    if (page.length < PAGE) return { events, reached, hasMore: false }
  }
  return { events, reached, hasMore: true }
}

async function visibleStreams(database: Database, page: readonly Event[], projects: readonly string[]): Promise<ReadonlySet<string>> {
  const streams = [...new Set(page.map(({ stream }) => stream))]
  const { rows } = await sql<{ stream: string }>`
    select stream from unnest(${streams}::text[]) as stream
    where exists (select 1 from runs where stream = 'run/' || runs.id and runs.id = substr(stream, 5) and runs.project = any (${projects}::text[]))
      or exists (
        select 1 from deployments
        where stream = 'deployment/' || deployments.id and deployments.id = substr(stream, 12) and deployments.project = any (${projects}::text[]))
  `.execute(database)
  return new Set(rows.map(({ stream }) => stream))
}
