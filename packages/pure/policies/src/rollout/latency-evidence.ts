// Evidence that a latency is worse at the canary. Latencies are skewed and move with the load, so logarithms are compared, in pairs of
// windows: both arms saw the same moments, what the load did to both cancels, and means over a few answers are near enough to normal.
// The effect is then a ratio of geometric means.

import type { LatencyInterval, LatencySums } from './interval.ts'
import { countOf, longRunVariance, meanOf, type Spread, withValue } from './long-run-variance.ts'

/** Differences of paired windows so far, and the window being filled. */
export type LatencyPairs = { readonly differences: Spread; readonly open: LatencyInterval }

const EMPTY: LatencySums = { count: 0, logSum: 0 }

export const NO_PAIRS: LatencyPairs = { differences: [], open: { control: EMPTY, canary: EMPTY } }

/** Answers of either arm that close a window. */
export const WINDOW = 8
/** With fewer windows the variance is too uncertain for a decision. */
const LEAST_WINDOWS = 8

export function withInterval({ differences, open }: LatencyPairs, seen: LatencyInterval): LatencyPairs {
  const control = addedSums(open.control, seen.control)
  const canary = addedSums(open.canary, seen.canary)
  if (control.count < WINDOW || canary.count < WINDOW) return { differences, open: { control, canary } }
  const difference = canary.logSum / canary.count - control.logSum / control.count
  return { differences: withValue(differences, difference), open: NO_PAIRS.open }
}

const addedSums = (sum: LatencySums, more: LatencySums): LatencySums => ({
  count: sum.count + more.count,
  logSum: sum.logSum + more.logSum,
})

/**
 * How far an arm wanders by itself without being worse (a queue that builds up at one replica), and for how long: as a share, a standard
 * deviation. A short look cannot tell it from a regression, so it is allowed for beforehand.
 */
export type Drift = { readonly share: number; readonly lasting_s: number }

/** What drift leaves in the difference of two means over a time: nearly all at first, then 2 * lasting / time of it. */
export const driftVariance = ({ share, lasting_s }: Drift, seconds: number): number =>
  2 * share ** 2 * Math.min(1, (2 * lasting_s) / seconds)

/** `margin` is the smallest relative slowdown that matters: 0.1 is ten per cent; `wander` is a variance. */
export function latencyEvidence({ differences }: LatencyPairs, { margin, wander }: { margin: number; wander: number }): number {
  const windows = countOf(differences)
  if (windows < LEAST_WINDOWS) return 0
  const effect = Math.log1p(margin)
  return (effect / (longRunVariance(differences) / windows + wander)) * (meanOf(differences) - effect / 2)
}

type LatencyTestInputs = { readonly margin: number; readonly wander: number; readonly asGood: number }

/**
 * Answers of either arm after which a canary as fast as the control is expected to be found so, if they go on to scatter as they do;
 * undefined while it is unknown: too few windows, or an arm may drift by more than the margin in so short a time.
 */
export function latencySamplesNeeded({ differences }: LatencyPairs, { margin, wander, asGood }: LatencyTestInputs): number | undefined {
  if (countOf(differences) < LEAST_WINDOWS) return undefined
  const left = Math.log1p(margin) ** 2 / (-2 * asGood) - wander
  return left > 0 ? Math.max(LEAST_WINDOWS, longRunVariance(differences) / left) * WINDOW : undefined
}
