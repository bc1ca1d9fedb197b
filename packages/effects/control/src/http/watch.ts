// Events as they happen, as server-sent events (WHATWG HTML, section 9.2). The id of each is the cursor to resume after, which a
// client sends back as Last-Event-ID. A client that cannot keep up is waited for, for a minute; one whose token is no longer valid for this is cut
// off within about a second, whether events come or not.

import type { EventView } from '@ironlaw/contracts/api'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type WatchOptions = {
  /** Events after a cursor, oldest first. */
  readonly after: (cursor: string) => Promise<readonly EventView[]>
  readonly from: string
  readonly isStillAllowed: () => Promise<boolean>
  /** The server goes. */
  readonly closing: AbortSignal
}

const POLL_MS = 300
/** How long a token that was revoked, or lost its role, may still be used for a stream. */
const CHECK_MS = 1000
/** A client that reads nothing for this long is disconnected; it resumes after the last event it has. */
const STALLED_MS = 60_000
/** Below the 30 to 60 s after which proxies close idle connections. */
const SIGN_OF_LIFE_MS = 15_000

export const wantsWatch = ({ headers }: FastifyRequest): boolean => (headers.accept ?? '').includes('text/event-stream')

export async function watch(reply: FastifyReply, { after, from, isStillAllowed, closing }: WatchOptions): Promise<void> {
  const { raw } = reply
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  const over = AbortSignal.any([closing, gone.signal])
  let cursor = from
  let events = await after(cursor)
  reply.hijack()
  reply.headers({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200)
  raw.write(': watching\n\n')
  let lastSign = Date.now()
  let checked = Date.now()
  try {
    while (!over.aborted) {
      if (Date.now() - checked >= CHECK_MS) {
        if (!(await isStillAllowed())) break
        checked = Date.now()
      }
      if (raw.writableNeedDrain) {
        if (Date.now() - lastSign > STALLED_MS) break
        await waitForDrain(reply, over)
        continue
      }
      if (events.length > 0 || Date.now() - lastSign > SIGN_OF_LIFE_MS) {
        lastSign = Date.now()
        raw.write(events.length > 0 ? events.map(frame).join('') : ': here\n\n')
      } else await pause(POLL_MS, over)
      cursor = events.at(-1)?.cursor ?? cursor
      if (!over.aborted) events = await after(cursor)
    }
  } finally {
    raw.end()
  }
}

const frame = (event: EventView): string => `id: ${event.cursor}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`

const pause = (milliseconds: number, over: AbortSignal): Promise<void> =>
  waitUntil(over, (done) => {
    const timer = setTimeout(done, milliseconds)
    return () => clearTimeout(timer)
  })

/** Or until the token is due to be checked again. */
const waitForDrain = ({ raw }: FastifyReply, over: AbortSignal): Promise<void> =>
  waitUntil(over, (done) => {
    raw.once('drain', done)
    const timer = setTimeout(done, CHECK_MS)
    return () => {
      raw.off('drain', done)
      clearTimeout(timer)
    }
  })

async function waitUntil(over: AbortSignal, begin: (done: () => void) => () => unknown): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  over.addEventListener('abort', () => resolve(), { once: true })
  if (over.aborted) return
  const end = begin(resolve)
  await promise
  end()
}
