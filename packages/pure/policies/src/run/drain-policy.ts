// Whether a node that runs suspect is taken out of service. A drain affects every team, while the suspicion comes from the
// program of one run. So a drain needs the executor's confirmation or a second run, a second suspicion, and is rate-limited for the whole
// fleet. Otherwise the run avoids the node in its next attempts, and the suspicion is kept.

import { countText } from './sentence.ts'

export type Suspicion = {
  readonly run: string
  readonly at: number
  /** The executor reported that the node was down or did not answer. */
  readonly confirmed: boolean
}

export type DrainLimits = {
  /** Suspicions of a node before it is drained: a single loss may be chance. */
  readonly suspicions: number
  /** Age after which a suspicion no longer counts. */
  readonly memory_s: number
  /** Nodes that may be drained within an hour: more than that at once is a fault of something they share, or of the reporter. */
  readonly perHour: number
  /** Part of the fleet that may be drained at the same time; one node always may. */
  readonly fraction: number
}

const DRAIN_LIMITS: DrainLimits = { suspicions: 2, memory_s: 7 * 24 * 3600, perHour: 4, fraction: 0.1 }

export type DrainCase = {
  readonly now: number
  /** Of this node, the newest included. */
  readonly suspicions: readonly Suspicion[]
  /** Nodes that the executor has. */
  readonly fleet: number
  /** When each node that is drained now was drained, by us or by an operator. */
  readonly drainedAt: readonly number[]
}

export type DrainDecision = { readonly do: 'drain' } | { readonly do: 'keep'; readonly why: string }

const HOUR_S = 3600

export function drainDecision({ now, suspicions, fleet, drainedAt }: DrainCase, limits: DrainLimits = DRAIN_LIMITS): DrainDecision {
  const recent = suspicions.filter(({ at }) => now - at <= limits.memory_s)
  if (recent.length < limits.suspicions)
    return keepDecision(`suspected ${countText(recent.length, 'time')}, drained after ${limits.suspicions}`)
  const runs = new Set(recent.map(({ run }) => run))
  if (runs.size < 2 && !recent.some(({ confirmed }) => confirmed))
    return keepDecision('only one run suspects it, and the executor does not confirm')
  if (drainedAt.filter((at) => now - at < HOUR_S).length >= limits.perHour)
    return keepDecision(`${limits.perHour} nodes were drained within the hour`)
  const most = Math.max(1, Math.floor(limits.fraction * fleet))
  if (drainedAt.length >= most) return keepDecision(`${drainedAt.length} of ${fleet} nodes are drained, the limit is ${most}`)
  return { do: 'drain' }
}

const keepDecision = (why: string): DrainDecision => ({ do: 'keep', why })
