// Sends what runs used and made to a receiver of OpenLineage: in the order of the feed, each event again until it is taken, from the place that the
// database remembers. Nothing waits in memory but the page that is being sent, however long the receiver is away.

import { setTimeout as pause } from 'node:timers/promises'
import {
  type Database,
  feedAfter,
  type FeedCursor,
  type FeedReader,
  leaveFeedReader,
  lineageOfRun,
  moveFeedReader,
  takeFeedReader,
} from '@ironlaw/store'
import { post, RefusedPost } from '../audit-sinks/post.ts'
import type { LineageTarget } from './lineage-target.ts'
import { datasetNamespace, type RunEvent, runEvents, runOfEvent } from './run-events.ts'

export type LineageSending = { readonly close: () => Promise<void> }

type SendingOptions = {
  readonly database: Database
  readonly target: LineageTarget
  /** Address of the storage of artifacts. */
  readonly storage: string
  /** This process. */
  readonly holder: string
  readonly now: () => number
  readonly logProblem: (problem: string) => void
  readonly pace?: Pace
}

type Pace = {
  /** Between looks at the feed. */
  readonly look_ms: number
  readonly retry_ms: { readonly first: number; readonly most: number }
  readonly answer_ms: number
}

const PACE: Pace = { look_ms: 1000, retry_ms: { first: 1000, most: 60_000 }, answer_ms: 10_000 }

/** Longer than an answer may take: another control plane takes over from one that died, not from one that waits. */
const TERM_S = 30
/** A few hundred kilobytes. */
const PAGE = 500
/** These say that this very event is unacceptable: sent again it would only hold up all others. */
const UNACCEPTABLE: ReadonlySet<number> = new Set([400, 413, 422])

export function startLineageSending(options: SendingOptions): LineageSending {
  const { database, target, logProblem, pace = PACE } = options
  const reader: FeedReader = { name: `openlineage ${target.name}`, holder: options.holder }
  const closing = new AbortController()
  // The end of waiting ends the loop, whichever way it comes.
  const rest = (wait_ms: number): Promise<void> => pause(wait_ms, undefined, { signal: closing.signal }).catch(() => undefined)

  async function sendAll(): Promise<void> {
    let isAway = false
    for (let wait_ms = pace.retry_ms.first; !closing.signal.aborted;)
      try {
        const hasMore = await sendPage({ ...options, pace, reader, closing: closing.signal })
        wait_ms = pace.retry_ms.first
        isAway = false
        if (!hasMore) await rest(pace.look_ms)
      } catch (cause) {
        if (closing.signal.aborted) return
        if (!isAway) logProblem(`lineage cannot be sent to ${target.name}: ${reasonOf(cause)}; trying again`)
        isAway = true
        await rest(wait_ms)
        wait_ms = Math.min(2 * wait_ms, pace.retry_ms.most)
      }
  }

  const sending = sendAll()
  return {
    close: async () => {
      closing.abort()
      await sending
      await leaveFeedReader(database, reader).catch((cause: unknown) => logProblem(`the place in the feed is kept: ${reasonOf(cause)}`))
    },
  }
}

type PageOptions = SendingOptions & { readonly pace: Pace; readonly reader: FeedReader; readonly closing: AbortSignal }

/** Whether there may be more behind it. */
async function sendPage(options: PageOptions): Promise<boolean> {
  const { database, reader, now, storage, closing } = options
  const from = await takeFeedReader(database, reader, { at: now(), until_at: now() + TERM_S })
  if (!from) return false
  const namespace = datasetNamespace(storage)
  const page = await feedAfter(database, from, PAGE)
  const moveTo = async (cursor: FeedCursor): Promise<boolean> =>
    (await moveFeedReader(database, reader, { cursor, until_at: now() + TERM_S })) === 'moved'
  let reached = from
  for (const event of page) {
    const run = runOfEvent(event)
    const lineage = run === undefined ? undefined : await lineageOfRun(database, run)
    const events = lineage ? runEvents(event, lineage, namespace) : []
    for (const each of events) await sendEvent(each, options)
    closing.throwIfAborted()
    reached = event
    if (events.length > 0 && !(await moveTo(event))) return false
  }
  if (reached !== from && !(await moveTo(reached))) return false
  return page.length === PAGE
}

async function sendEvent(event: RunEvent, { target, pace, closing, logProblem }: PageOptions): Promise<void> {
  try {
    const { url, name: _, ...web } = target
    await post(url, { ...web, type: 'application/json', body: JSON.stringify(event), within_ms: pace.answer_ms, signal: closing })
  } catch (cause) {
    if (!(cause instanceof RefusedPost) || !UNACCEPTABLE.has(cause.status)) throw cause
    const { run, eventType } = event
    logProblem(`${target.name} does not accept the ${eventType} of run ${run.facets.ironlaw_plan.run}, which is left out: ${cause.message}`)
  }
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
