// What users of a deployment feel, simulated with the traffic that the plan is for. Requests of the first and the last minutes, in which the
// replicas fill and empty, are left out.

import type { ServingPlan } from '@ironlaw/contracts'
import { type ClusterRule, plannedTraffic, simulateServing } from '@ironlaw/simulator/serving'

type Objectives = ServingPlan['objectives']

export type SimulatedLoad = {
  readonly fleet: Pick<ClusterRule, 'replica' | 'replicas' | 'prefill'>
  readonly traffic: ServingPlan['traffic']
  readonly objectives: Objectives
  /** Requests that the deployment holds at once, roughly: how long it takes to fill. */
  readonly inFlight: number
  readonly measured: number
  readonly seed: number
  /** Tokens of prompt and answer that the model takes. */
  readonly longest?: number | undefined
}

/** At the percentile of the objectives. */
type SimulatedFigure = {
  readonly value: number
  /** One standard deviation from one draw of the traffic to the next, relative to the value. */
  readonly error: number
}

export type SimulatedLatency = {
  readonly ttft: SimulatedFigure
  readonly tpot: SimulatedFigure
  /** Share of requests within both objectives. */
  readonly attained: number
  /** Seconds from the first token to the last, on average. */
  readonly decode_s: number
}

/** Of a fleet that does not keep up with prompts, with decoding, or with either. */
export const endless = (grows: { readonly ttft: boolean; readonly tpot: boolean }): SimulatedLatency => ({
  ttft: { value: grows.ttft ? Infinity : 0, error: 0 },
  tpot: { value: grows.tpot ? Infinity : 0, error: 0 },
  attained: 0,
  decode_s: 0,
})

/** A deployment that refuses more requests than this, because they are too long for its cache, serves nobody's objectives. */
const MOST_REFUSED = 0.01

const FILLING = 2.5
const BATCHES = 5

export function simulatedLatency({ fleet, traffic, objectives, inFlight, measured, seed, longest }: SimulatedLoad): SimulatedLatency {
  const before = Math.ceil(FILLING * inFlight)
  const { arrivals, prefix } = plannedTraffic(traffic, { count: before + measured + Math.ceil(inFlight), seed, longest })
  // A request that no replica takes has no end.
  const ttft = new Float64Array(measured).fill(Infinity)
  const tpot = new Float64Array(measured).fill(Infinity)
  let decoded_s = 0
  simulateServing({ ...fleet, router: 'two-choices', objectives }, arrivals, {
    seed,
    ...(prefix && { hashes: prefix.hashes }),
    each: ({ serial, ttft_s, latency_s, output }) => {
      const at = serial - before
      if (at < 0 || at >= measured) return
      ttft[at] = ttft_s
      tpot[at] = output > 1 ? (latency_s - ttft_s) / (output - 1) : Number.NaN
      decoded_s += latency_s - ttft_s
    },
  })
  const late = tpot.reduce((count, each, at) => count + (ttft[at]! > objectives.ttft_s || each > objectives.tpot_s ? 1 : 0), 0)
  const refused = ttft.reduce((count, each) => count + (each === Infinity ? 1 : 0), 0)
  if (refused > MOST_REFUSED * measured) return { ...endless({ ttft: true, tpot: true }), attained: 1 - late / measured }
  return {
    ttft: figureOf(ttft, objectives),
    tpot: figureOf(tpot, objectives),
    attained: 1 - late / measured,
    decode_s: decoded_s / measured,
  }
}

function figureOf(values: Float64Array, { percentile }: Objectives): SimulatedFigure {
  const value = percentileOf(values, percentile)
  const size = Math.floor(values.length / BATCHES)
  const each = Array.from({ length: BATCHES }, (_, batch) => percentileOf(values.subarray(batch * size, (batch + 1) * size), percentile))
  // A batch in which more requests are refused than the percentile leaves out has no figure.
  const known = each.filter(Number.isFinite)
  if (value === 0 || !Number.isFinite(value) || known.length < 2) return { value, error: 0 }
  const mean = known.reduce((sum, one) => sum + one, 0) / known.length
  const variance = known.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (known.length - 1)
  return { value, error: Math.sqrt(variance / known.length) / value }
}

const SHARES = { p50: 0.5, p90: 0.9, p99: 0.99 } as const

/** Answers of one token have no time per further token; a mean is that of requests that end. */
function percentileOf(values: Float64Array, percentile: Objectives['percentile']): number {
  const known = values.filter((value) => !Number.isNaN(value) && (percentile !== 'mean' || value < Infinity))
  if (known.length === 0) return 0
  if (percentile === 'mean') return known.reduce((sum, value) => sum + value, 0) / known.length
  known.sort()
  return known[Math.min(known.length - 1, Math.ceil(SHARES[percentile] * known.length) - 1)] ?? 0
}
