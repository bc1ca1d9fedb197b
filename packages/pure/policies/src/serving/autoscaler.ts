// How many replicas to want. Up at once, to what will be arriving when a new replica is warm; down only when less has been enough for a
// while, because a replica kept idle costs its minutes and one lacking costs everybody's latency. Scale to zero only after idleness,
// and from zero at the first request.

export type ScaleRule = {
  readonly min: number
  readonly max: number
  /** Tokens a second that one replica sustains within the latency objective. */
  readonly tokensPerSecond: number
  /** Share of that to plan for; the rest is for bursts. */
  readonly utilisation: number
  /** From the decision to a warm replica. */
  readonly coldStart_s: number
  /** What waits should be gone in so many seconds. */
  readonly drain_s: number
  readonly downAfter_s: number
  readonly idle_s: number
}

export type ScaleSeen = {
  readonly now: number
  /** Ready and starting. */
  readonly replicas: number
  /** Tokens a second that arrived since the last look. */
  readonly arriving: number
  readonly queuedTokens: number
  readonly running: number
}

/** What the autoscaler remembers; `level` and `slope` are Holt's forecast of the tokens that arrive a second. */
export type ScaleMemory = { level: number; slope: number; at: number; lowSince: number; peakSinceLow: number; idleSince: number }

export type ScaleDecision = { readonly replicas: number; readonly why: 'steady' | 'arrivals' | 'queue' | 'from-zero' | 'cooled' | 'idle' }

/** The time in which a forecast follows a change, against the cold start: following faster scales on noise that is over by then. */
const FOLLOW = 0.5
const SLOPE_SHARE = 0.3
/** A step looks like a steep slope until the level has caught up; no trend is trusted beyond this multiple of the present. */
const TREND_BOUND = 1.5

export const newScaleMemory = (now: number): ScaleMemory => ({
  level: 0,
  slope: 0,
  at: Number.NEGATIVE_INFINITY,
  lowSince: now,
  peakSinceLow: 0,
  idleSince: now,
})

export function scale(rule: ScaleRule, seen: ScaleSeen, memory: ScaleMemory): ScaleDecision {
  forecast(rule, seen, memory)
  const busy = seen.running > 0 || seen.queuedTokens > 0 || seen.arriving > 0
  if (busy) memory.idleSince = seen.now
  const present = Math.max(seen.arriving, memory.level)
  const expected = Math.max(present, Math.min(TREND_BOUND * present, memory.level + memory.slope * rule.coldStart_s))
  const forArrivals = Math.ceil(expected / (rule.tokensPerSecond * rule.utilisation) - 1e-9)
  const forQueue = Math.ceil((expected + seen.queuedTokens / rule.drain_s) / rule.tokensPerSecond - 1e-9)
  const least = seen.now - memory.idleSince >= rule.idle_s ? 0 : 1
  const needed = Math.min(rule.max, Math.max(rule.min, busy ? 1 : least, forArrivals, forQueue))
  if (needed > seen.replicas) {
    cool(memory, seen.now)
    return { replicas: needed, why: seen.replicas === 0 ? 'from-zero' : forQueue > forArrivals ? 'queue' : 'arrivals' }
  }
  if (needed === seen.replicas) {
    cool(memory, seen.now)
    return { replicas: needed, why: 'steady' }
  }
  return fewer(rule, seen, { memory, needed })
}

function fewer(rule: ScaleRule, seen: ScaleSeen, { memory, needed }: { memory: ScaleMemory; needed: number }): ScaleDecision {
  if (needed === 0) return { replicas: 0, why: 'idle' }
  memory.peakSinceLow = Math.max(memory.peakSinceLow, needed)
  if (seen.now - memory.lowSince < rule.downAfter_s) return { replicas: seen.replicas, why: 'steady' }
  const replicas = memory.peakSinceLow
  cool(memory, seen.now)
  return replicas < seen.replicas ? { replicas, why: 'cooled' } : { replicas: seen.replicas, why: 'steady' }
}

function cool(memory: ScaleMemory, now: number): void {
  memory.lowSince = now
  memory.peakSinceLow = 0
}

function forecast(rule: ScaleRule, { arriving, now }: ScaleSeen, memory: ScaleMemory): void {
  const elapsed = now - memory.at
  if (elapsed <= 0) return
  memory.at = now
  if (elapsed === Number.POSITIVE_INFINITY) {
    memory.level = arriving
    return
  }
  const share = 1 - Math.exp(-elapsed / Math.max(1, FOLLOW * rule.coldStart_s))
  const before = memory.level
  memory.level += share * (arriving - (memory.level + memory.slope * elapsed)) + memory.slope * elapsed
  memory.slope += SLOPE_SHARE * share * ((memory.level - before) / elapsed - memory.slope)
}
