// How many replicas to want. Up to what will be arriving when a new replica is warm, and to what the bursts of late have filled; a burst that
// the present replicas work off before another is warm calls for none. Down only when less has been enough for a while, because a replica
// kept idle costs its minutes and one lacking costs everybody's latency. To zero only after idleness, and from zero at the first request.

import { type Bursts, quietBursts, updatedBursts, replicasForBursts } from './bursts.ts'

export type ScaleRule = {
  readonly min: number
  readonly max: number
  /** Tokens a second that one replica sustains within the latency objective. */
  readonly tokensPerSecond: number
  /** Fraction of burst traffic that the replicas should absorb. */
  readonly covered: number
  /** From the decision to a warm replica. */
  readonly coldStart_s: number
  /** Longest time a queue may last; bursts are measured over this time. */
  readonly drain_s: number
  readonly downAfter_s: number
  readonly idle_s: number
}

export type ScaleObservation = {
  readonly now: number
  /** Ready and starting. */
  readonly replicas: number
  /** Tokens a second that arrived since the last look. */
  readonly arriving: number
  readonly queuedTokens: number
  readonly running: number
}

/** What the autoscaler remembers; `level` and `slope` are Holt's forecast of the tokens that arrive a second, `load` is what a queue feels. */
export type ScaleMemory = {
  level: number
  slope: number
  load?: number
  bursts?: Bursts
  at?: number
  lowSince: number
  peakSinceLow: number
  idleSince: number
}

export type ScaleDecision = {
  readonly replicas: number
  readonly why: 'steady' | 'arrivals' | 'bursts' | 'queue' | 'from-zero' | 'fewest' | 'cooled' | 'idle'
}

/** The time in which a forecast follows a change, against the cold start and what a queue may take: following faster scales on noise. */
const FOLLOW = { coldStart: 0.5, drain: 2 }
const SLOPE_SHARE = 0.3
/** A step looks like a steep slope until the level has caught up; no trend is trusted beyond this multiple of the present. */
const TREND_BOUND = 1.5
/** Share of its replicas that is taken to be in use before anything was seen. */
const ASSUMED = 0.7
/** Bursts fade over this multiple of the scale-down delay; otherwise recurring bursts would look new each time. */
const FADE = 2

export const newScaleMemory = (now: number): ScaleMemory => ({ level: 0, slope: 0, lowSince: now, peakSinceLow: 0, idleSince: now })

export function decideScale(rule: ScaleRule, seen: ScaleObservation, memory: ScaleMemory): ScaleDecision {
  observeLoad(rule, seen, memory)
  const busy = seen.running > 0 || seen.queuedTokens > 0 || seen.arriving > 0
  if (busy) memory.idleSince = seen.now
  const isIdle = !busy && (seen.replicas === 0 || seen.now - memory.idleSince >= rule.idle_s)
  if (rule.min === 0 && isIdle) return scaleToZero(memory)
  if (seen.replicas === 0) return { replicas: Math.max(rule.min, 1), why: busy ? 'from-zero' : 'fewest' }
  const { why, replicas } = neededReplicas(rule, seen, memory)
  const needed = Math.min(rule.max, Math.max(rule.min, 1, replicas))
  if (needed < seen.replicas) return scaleDown(rule, seen, { memory, needed })
  resetLow(memory, seen.now)
  if (needed === seen.replicas) return { replicas: needed, why: 'steady' }
  return { replicas: needed, why: replicas < rule.min ? 'fewest' : why }
}

function neededReplicas(
  rule: ScaleRule,
  { replicas, queuedTokens }: ScaleObservation,
  { level, slope, bursts = [] }: ScaleMemory,
): ScaleDecision {
  const expected = Math.max(level, Math.min(TREND_BOUND * level, level + slope * rule.coldStart_s))
  // What is left when another is warm; that one stays for longer than a cold start, so it need not be gone sooner.
  const left = Math.max(0, queuedTokens + (expected - replicas * rule.tokensPerSecond) * rule.coldStart_s)
  const forArrivals = wholeReplicas(expected / rule.tokensPerSecond)
  const forQueue = wholeReplicas((expected + left / Math.max(rule.drain_s, rule.coldStart_s)) / rule.tokensPerSecond)
  const forBursts = replicasForBursts(bursts, rule.covered)
  const most = Math.max(forArrivals, forQueue, forBursts)
  return { replicas: most, why: most === forArrivals ? 'arrivals' : most === forQueue ? 'queue' : 'bursts' }
}

const wholeReplicas = (replicas: number): number => Math.ceil(replicas - 1e-9)

function scaleToZero(memory: ScaleMemory): ScaleDecision {
  memory.level = memory.slope = memory.load = 0
  delete memory.bursts
  return { replicas: 0, why: 'idle' }
}

function scaleDown(rule: ScaleRule, seen: ScaleObservation, { memory, needed }: { memory: ScaleMemory; needed: number }): ScaleDecision {
  memory.peakSinceLow = Math.max(memory.peakSinceLow, needed)
  if (seen.now - memory.lowSince < rule.downAfter_s) return { replicas: seen.replicas, why: 'steady' }
  const replicas = memory.peakSinceLow
  resetLow(memory, seen.now)
  return replicas < seen.replicas ? { replicas, why: 'cooled' } : { replicas: seen.replicas, why: 'steady' }
}

function resetLow(memory: ScaleMemory, now: number): void {
  memory.lowSince = now
  memory.peakSinceLow = 0
}

/** At first the present number is taken to be about right: one short look says too little to think otherwise. */
function observeLoad(rule: ScaleRule, { arriving, now, replicas }: ScaleObservation, memory: ScaleMemory): void {
  if (memory.at === undefined) memory.level = ASSUMED * replicas * rule.tokensPerSecond
  memory.load ??= memory.level
  const elapsed = now - (memory.at ?? now)
  memory.at = now
  if (elapsed <= 0) return
  const share = smoothingShare(elapsed, Math.max(FOLLOW.coldStart * rule.coldStart_s, FOLLOW.drain * rule.drain_s))
  const before = memory.level
  memory.level = Math.max(0, before + share * (arriving - (before + memory.slope * elapsed)) + memory.slope * elapsed)
  memory.slope += SLOPE_SHARE * share * ((memory.level - before) / elapsed - memory.slope)
  memory.load += smoothingShare(elapsed, rule.drain_s) * (arriving - memory.load)
  const { tokensPerSecond, max } = rule
  const burst = { load: memory.load, elapsed_s: elapsed, tokensPerSecond, most: max, fade_s: FADE * rule.downAfter_s }
  memory.bursts = updatedBursts(memory.bursts ?? quietBursts(burst), burst)
}

/** The share of a change that has taken effect after a time. */
const smoothingShare = (elapsed_s: number, within_s: number): number => 1 - Math.exp(-elapsed_s / Math.max(1e-3, within_s))
