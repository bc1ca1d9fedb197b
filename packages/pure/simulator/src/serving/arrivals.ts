// Where requests come from: a process with drawn lengths, or a trace.

import { normalShareBelow } from '@ironlaw/laws/normal'
import { RandomStream } from '../kernel/random-stream.ts'
import type { Trace } from '../traces/trace.ts'
import { gammaDraw, normalDraw } from './gamma-draw.ts'
import type { ArrivingRequest } from './request-table.ts'

/** Writes the next request; false when there is none left. */
export type Arrivals = (into: ArrivingRequest) => boolean

/** Tokens of a prompt or an answer. */
export type Lengths = (random: RandomStream) => number

export const fixedLength =
  (tokens: number): Lengths =>
  () =>
    tokens

/**
 * Log-normal with this mean and coefficient of variation, at least one token; with a mean of one, none has more. Where some would be longer than
 * the most, the others are, too: the mean stays.
 */
export function logNormalLength(mean: number, variation: number, most = Infinity): Lengths {
  if (mean <= 1) return fixedLength(1)
  if (mean >= most) return fixedLength(most)
  const variance = Math.log(1 + variation * variation)
  const deviation = Math.sqrt(variance)
  const center = most === Infinity ? Math.log(mean) - variance / 2 : centerWithin(most, { mean, deviation })
  return (random) => Math.max(1, Math.min(most, Math.round(Math.exp(center + deviation * normalDraw(random)))))
}

const HALVINGS = 50

/** The mean of the logarithm with which lengths that are cut at the most have this mean. */
function centerWithin(most: number, { mean, deviation }: { readonly mean: number; readonly deviation: number }): number {
  const cutMean = (center: number): number => {
    const z = (Math.log(most) - center) / deviation
    return Math.exp(center + deviation ** 2 / 2) * normalShareBelow(z - deviation) + most * (1 - normalShareBelow(z))
  }
  let [low, high] = [Math.log(mean) - deviation ** 2 / 2, Math.log(most) + 8 * deviation]
  for (let round = 0; round < HALVINGS; round += 1) {
    const middle = (low + high) / 2
    if (cutMean(middle) < mean) low = middle
    else high = middle
  }
  return low
}

/** By inversion of measured lengths, sorted, with a straight line between neighbours. */
export const measuredLength =
  (sorted: ArrayLike<number>): Lengths =>
  (random) => {
    const at = random.uniform() * (sorted.length - 1)
    const low = Math.floor(at)
    const from = sorted[low] ?? 1
    return Math.max(1, Math.round(from + (at - low) * ((sorted[low + 1] ?? from) - from)))
  }

export type DrawnTraffic = {
  readonly requests_per_s: number
  /** Coefficient of variation of the time between arrivals: 1 is Poisson, more is bursts (gamma-distributed gaps). */
  readonly burstiness: number
  readonly prompt: Lengths
  readonly output: Lengths
  readonly count: number
  readonly seed: number
  /** Share of each tenant, from the first on; one tenant when left out. */
  readonly tenants?: readonly number[]
  readonly adapters?: number
}

/** Each property from a stream of its own, so that one more replica or another router sees the same requests. */
export function drawnArrivals(traffic: DrawnTraffic): Arrivals {
  const { requests_per_s, burstiness, prompt, output, count, seed, tenants, adapters = 0 } = traffic
  const [gaps, prompts, outputs, others] = [0, 1, 2, 3].map((purpose) => new RandomStream([seed, 7, purpose]))
  if (!gaps || !prompts || !outputs || !others) return () => false
  const shape = 1 / (burstiness * burstiness)
  let at = 0
  let made = 0
  return (into) => {
    if (made === count) return false
    made += 1
    at += (burstiness === 1 ? gaps.exponential() : gammaDraw(gaps, shape)) / requests_per_s
    into.at = at
    into.prompt = prompt(prompts)
    into.output = output(outputs)
    into.session = made
    into.tenant = tenants ? pick(tenants, others.uniform()) : 0
    into.adapter = adapters > 0 ? others.below(adapters + 1) : 0
    return true
  }
}

function pick(shares: readonly number[], draw: number): number {
  let left = draw
  for (let index = 0; index < shares.length; index += 1) {
    left -= shares[index] ?? 0
    if (left < 0) return index
  }
  return shares.length - 1
}

/** A trace as it was, or `speed` times as fast. */
export function tracedArrivals(trace: Trace, speed = 1): Arrivals {
  let next = 0
  return (into) => {
    if (next === trace.count) return false
    into.at = trace.at_s[next]! / speed
    into.prompt = trace.prompt[next]!
    into.output = trace.output[next]!
    into.tenant = trace.tenant[next]!
    into.hashFirst = trace.hashFirst[next]!
    into.hashCount = trace.hashFirst[next + 1]! - trace.hashFirst[next]!
    into.session = into.hashCount > 0 ? trace.hashes[into.hashFirst + Math.min(1, into.hashCount - 1)]! : next
    next += 1
    return true
  }
}
