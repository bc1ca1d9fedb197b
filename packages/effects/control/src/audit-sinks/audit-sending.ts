// Sends the trail of access and the heads of all chains elsewhere: a database that was rewritten, cut off or emptied since contradicts them.

import type { AuditSinkView } from '@ironlaw/contracts/audit-api'
import { type Database, feedEnd, type FeedCursor, headsAfter, headsOfStreams, type StreamHead } from '@ironlaw/store'
import { ACCESS_KINDS, type StoredAccess } from '../access/access-trail.ts'
import { auditOutput } from './audit-output.ts'
import type { AuditTarget } from './audit-target.ts'
import type { AuditLine } from './sink.ts'

export type AuditSending = {
  readonly sendAccess: (stored: readonly StoredAccess[]) => void
  /** Heads of the chains that changed since the last time; all of them the first time. */
  readonly sendHeads: () => Promise<void>
  readonly view: () => readonly AuditSinkView[]
  /** Sends the last heads and what waits; the database must still be open. */
  readonly close: () => Promise<void>
}

type SendingOptions = {
  readonly database: Database
  readonly targets: readonly AuditTarget[]
  readonly now: () => number
  readonly logProblem: (problem: string) => void
}

const HEADS_EVERY_MS = 60_000
const CLOSE_WITHIN_MS = 5000
const PAGE = 1000

export function startAuditSending({ database, targets, now, logProblem }: SendingOptions): AuditSending {
  const outputs = targets.map((target) => auditOutput(target, { now, logProblem }))
  const send = (lines: readonly AuditLine[]): void => outputs.forEach((output) => output.send(lines))
  let cursor: FeedCursor | undefined
  let sending: Promise<void> | undefined
  const sendNew = async (): Promise<void> => {
    if (outputs.length === 0) return
    try {
      cursor = await sendHeadsSince(database, cursor, (heads) => send(heads.map((head) => headLine(head, now()))))
    } catch (cause) {
      logProblem(`the heads of the audit trail were not read: ${cause instanceof Error ? cause.message : String(cause)}`)
    }
  }
  const sendHeads = (): Promise<void> => (sending ??= sendNew().finally(() => (sending = undefined)))
  const timer = setInterval(() => void sendHeads(), HEADS_EVERY_MS).unref()
  return {
    sendAccess: (stored) => send(stored.map(accessLine)),
    sendHeads,
    view: () => outputs.map((output) => output.view()),
    close: async () => {
      clearInterval(timer)
      await sending
      await sendHeads()
      await Promise.all(outputs.map((output) => output.close(CLOSE_WITHIN_MS)))
    },
  }
}

async function sendHeadsSince(
  database: Database,
  since: FeedCursor | undefined,
  send: (heads: readonly StreamHead[]) => void,
): Promise<FeedCursor> {
  if (since === undefined) {
    const end = await feedEnd(database)
    for (let after = ''; ;) {
      const heads = await headsOfStreams(database, { after, limit: PAGE })
      send(heads)
      const last = heads.at(-1)
      if (last === undefined || heads.length < PAGE) return end
      after = last.stream
    }
  }
  for (let cursor = since; ;) {
    const { heads, next } = await headsAfter(database, cursor, PAGE)
    send(heads)
    if (next === undefined) return cursor
    cursor = next
  }
}

const headLine = ({ stream, sequence, hash }: StreamHead, at: number): AuditLine => ({
  at,
  isRefusal: false,
  text: JSON.stringify({ type: 'head', at, stream, sequence, hash }),
})

const accessLine = ({ stream, sequence, hash, event: { at, actor, kind, body } }: StoredAccess): AuditLine => ({
  at,
  isRefusal: kind !== ACCESS_KINDS.done,
  text: JSON.stringify({ type: 'access', at, who: actor, kind, ...body, stream, sequence, hash }),
})
