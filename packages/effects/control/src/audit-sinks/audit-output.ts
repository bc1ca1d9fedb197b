// Sends lines to one target: in order, in batches, again after a growing delay where it fails. The buffer is limited; beyond it the oldest lines
// are dropped, and the target is told how many once it takes lines again.

import { setTimeout as pause } from 'node:timers/promises'
import type { AuditSinkView } from '@ironlaw/contracts/audit-api'
import type { AuditTarget } from './audit-target.ts'
import type { AuditLine } from './sink.ts'

export type AuditOutput = {
  readonly send: (lines: readonly AuditLine[]) => void
  readonly view: () => AuditSinkView
  /** Tries once more to send what waits, within the time. */
  readonly close: (within_ms: number) => Promise<void>
}

type OutputOptions = {
  readonly now: () => number
  readonly logProblem: (problem: string) => void
  readonly most?: number
  readonly retry_ms?: { readonly first: number; readonly most: number }
}

/** Some 5 MB; a day of a busy control plane, or the heads of ten thousand runs. */
const MOST_LINES = 20_000
const BATCH = 200
const RETRY_MS = { first: 1000, most: 60_000 } as const

export function auditOutput({ name, sink }: AuditTarget, options: OutputOptions): AuditOutput {
  const { now, logProblem, most = MOST_LINES, retry_ms = RETRY_MS } = options
  const waiting: AuditLine[] = []
  const closing = new AbortController()
  let sent = 0
  let dropped = 0
  let untold = 0
  let problem: string | undefined
  let sending: Promise<void> | undefined

  async function sendBatch(): Promise<void> {
    const count = untold
    const batch = waiting.slice(0, BATCH)
    const notice = { at: now(), isRefusal: false, text: JSON.stringify({ type: 'dropped', at: now(), count }) }
    await sink.write(count > 0 ? [notice, ...batch] : batch)
    untold -= count
    // Lines may have been dropped from the front meanwhile.
    const done = new Set(batch)
    waiting.splice(0, waiting.findLastIndex((line) => done.has(line)) + 1)
    sent += batch.length
    problem = undefined
  }

  async function sendAll(): Promise<void> {
    for (let wait_ms = retry_ms.first; waiting.length > 0;)
      try {
        await sendBatch()
        wait_ms = retry_ms.first
      } catch (cause) {
        // Shown by the view as long as it lasts.
        const told = cause instanceof Error ? cause.message : String(cause)
        if (problem === undefined) logProblem(`the audit trail cannot be sent to ${name}: ${told}; trying again`)
        problem = told
        if (closing.signal.aborted) return
        // Cut short by the end of the control plane, which tries once more.
        await pause(wait_ms, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
        wait_ms = Math.min(2 * wait_ms, retry_ms.most)
      }
  }

  function start(): void {
    sending ??= sendAll().finally(() => (sending = undefined))
  }

  return {
    send: (lines) => {
      for (const line of lines) waiting.push(line)
      const over = Math.max(0, waiting.length - most)
      waiting.splice(0, over)
      dropped += over
      untold += over
      start()
    },
    view: () => ({
      target: name,
      sent,
      waiting: waiting.length,
      dropped,
      lag_s: Math.max(0, now() - (waiting[0]?.at ?? now())),
      ...(problem !== undefined && { problem }),
    }),
    close: async (within_ms) => {
      closing.abort()
      start()
      await Promise.race([sending, pause(within_ms, undefined, { ref: false })])
      sink.close()
    },
  }
}
