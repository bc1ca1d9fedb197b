// Failures that many runs share at once are not each run's own: shared storage, the network or the scheduler is at fault. A pure look at
// the attempts that ended lately.

import type { EndReason } from '@ironlaw/contracts'
import type { RunLimits } from './limits.ts'

export type AttemptEnd = {
  readonly run: string
  readonly cause: EndReason
  readonly endedAt: number
  /** Whether the run had taken a step in any attempt. One that never worked says nothing about the cluster. */
  readonly progressed: boolean
}

/** `since`: when the first of those attempts ended. */
export type Outage = { readonly since: number; readonly why: string }

type RecentEnds = {
  readonly now: number
  readonly ends: readonly AttemptEnd[]
  /** Runs that hold or seek nodes now, those that just failed with them. */
  readonly active: number
}

/** What looks alike from outside: programs that ended, programs that stand still, nodes that are gone. */
const KIND: Readonly<Partial<Record<EndReason, string>>> = {
  'rank-died': 'ended',
  'job-ended': 'ended',
  'job-vanished': 'ended',
  hang: 'stood still',
  'start-timeout': 'stood still',
  'node-lost': 'lost nodes',
}

export function outageOf({ now, ends, active }: RecentEnds, limits: RunLimits): Outage | undefined {
  const lately = ends.filter((end) => end.progressed && KIND[end.cause] !== undefined && now - end.endedAt <= limits.outageWindow_s)
  for (const [kind, alike] of Map.groupBy(lately, ({ cause }) => KIND[cause])) {
    const runs = new Set(alike.map(({ run }) => run)).size
    if (runs < limits.outageRuns || runs < limits.outageShare * active) continue
    const since = Math.min(...alike.map(({ endedAt }) => endedAt))
    return {
      since,
      why: `${runs} runs ${kind} within ${limits.outageWindow_s} s: likely a storage or network fault, not a fault of each run`,
    }
  }
  return undefined
}
