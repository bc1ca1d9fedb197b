// The trail of access to the API. A change is not answered before its record is stored, and is answered with a fault where it cannot be. How many
// refusals are stored is limited, so that a flood of them fills no disk; those beyond it are counted, and the count is stored.

import { hash } from 'node:crypto'
import { accessStream, appendLinks, type ChainHead, type Database, type NewEvent } from '@ironlaw/store'
import { batchCalls } from '../concurrent-calls/batch.ts'
import { clientNetwork, type Rate, RateLimit } from '../http/rate-limit.ts'

export type Access = {
  readonly at: number
  readonly who: string
  readonly from: string
  readonly operation: string
  readonly object?: string
  readonly project?: string
  readonly status: number
  readonly request: string
}

export type StoredAccess = ChainHead & { readonly event: NewEvent }

export type AccessTrail = {
  /** Throws where it cannot be stored. */
  readonly recordChange: (access: Access) => Promise<void>
  /** Within the limits; what cannot be stored is counted with what is left out. */
  readonly recordRefusal: (access: Access) => Promise<void>
  /** Stores the count of what was left out, if anything was. */
  readonly flush: () => Promise<void>
  readonly close: () => Promise<void>
}

export const ACCESS_KINDS = {
  done: 'access-changed',
  refused: 'access-refused',
  failed: 'access-failed',
  'left-out': 'access-left-out',
} as const

/** A day of one address is 86,400 records, some 50 MB. */
const REFUSALS_OF_ADDRESS: Rate = { perSecond: 1, burst: 500 }
const REFUSALS: Rate = { perSecond: 2, burst: 1000 }
const FLUSH_MS = 60_000
const RECORDS_AT_ONCE = 500

type TrailOptions = {
  readonly database: Database
  readonly now: () => number
  readonly logProblem: (problem: string) => void
  /** After they were stored. */
  readonly onStored?: (stored: readonly StoredAccess[]) => void
}

export function accessTrail({ database, now, logProblem, onStored = () => undefined }: TrailOptions): AccessTrail {
  const clock = (): number => performance.now() / 1000
  const byAddress = new RateLimit(REFUSALS_OF_ADDRESS, clock)
  const all = new RateLimit(REFUSALS, clock)
  let leftOut = 0
  const store = batchCalls(RECORDS_AT_ONCE, async (events: readonly NewEvent[]) => {
    const stored = await storeEvents(database, events)
    onStored(stored)
    return stored
  })
  const flush = async (): Promise<void> => {
    const count = leftOut
    if (count === 0) return
    leftOut = 0
    try {
      await store({ kind: ACCESS_KINDS['left-out'], actor: 'control plane', at: now(), body: { count } })
    } catch (cause) {
      leftOut += count
      logProblem(`the count of refusals left out of the access trail was not stored: ${String(cause)}`)
    }
  }
  const timer = setInterval(() => void flush(), FLUSH_MS).unref()
  return {
    recordChange: async (access) => {
      await store(eventOf(access.status < 400 ? ACCESS_KINDS.done : ACCESS_KINDS.failed, access))
    },
    recordRefusal: async (access) => {
      const client = clientNetwork(access.from)
      if (byAddress.wait_s(client) > 0 || all.wait_s('') > 0) {
        leftOut += 1
        return
      }
      byAddress.take(client)
      all.take('')
      try {
        await store(eventOf(ACCESS_KINDS.refused, access))
      } catch (cause) {
        leftOut += 1
        logProblem(`a refusal was not stored in the access trail: ${String(cause)}`)
      }
    },
    flush,
    close: async () => {
      clearInterval(timer)
      await flush()
    },
  }
}

/** Names a token that is not valid without giving it away. It is the start of what the table of tokens holds of those that were valid. */
export const tokenName = (secret: string): string => `token:${hash('sha256', secret).slice(0, 16)}`

function eventOf(kind: string, { at, who, ...body }: Access): NewEvent {
  return { kind, actor: who, at, body }
}

/** Of one day, except around midnight. */
async function storeEvents(database: Database, events: readonly NewEvent[]): Promise<readonly StoredAccess[]> {
  const byStream = Map.groupBy(
    events.map((event, index) => ({ event, index })),
    ({ event }) => accessStream(event.at),
  )
  const stored: StoredAccess[] = []
  for (const [stream, [first, ...others]] of byStream) {
    if (!first) continue
    const links = await appendLinks(database, stream, [first.event, ...others.map(({ event }) => event)])
    for (const [place, { event, index }] of [first, ...others].entries()) {
      const link = links[place]
      if (link) stored[index] = { ...link, event }
    }
  }
  return stored
}
