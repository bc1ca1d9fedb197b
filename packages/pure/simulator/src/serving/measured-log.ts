// A log of what an engine did with each request, and the factors that bring a replay of the same arrivals to it: the half of calibration
// that needs no kernel timing.

import type { ClusterRule } from './cluster-rule.ts'
import { tracedArrivals } from './arrivals.ts'
import { simulateServing } from './simulate-serving.ts'
import { type CostFactors, scaledCost } from './step-cost.ts'
import { traceOf } from '../traces/trace.ts'

/** Seconds of one request. */
export type RequestLatency = { readonly ttft_s: number; readonly tpot_s: number; readonly latency_s: number }

export type MeasuredRequest = RequestLatency & { readonly at_s: number; readonly prompt: number; readonly output: number }

/** What each request of the log would have felt, in its order: that of arrival. */
export function replay(rule: ClusterRule, log: readonly MeasuredRequest[], factors: CostFactors): RequestLatency[] {
  const felt: RequestLatency[] = []
  const replica = { ...rule.replica, cost: scaledCost(rule.replica.cost, factors) }
  simulateServing({ ...rule, replica }, tracedArrivals(traceOf(log)), {
    seed: 1,
    each: ({ serial, ttft_s, latency_s, output }) => {
      felt[serial] = { ttft_s, latency_s, tpot_s: output > 1 ? (latency_s - ttft_s) / (output - 1) : 0 }
    },
  })
  return felt
}

/** The first wait is the noisiest of the three, so it counts half. */
const WEIGHTS: RequestLatency = { ttft_s: 0.5, tpot_s: 1, latency_s: 1 }
const NAMES = ['ttft_s', 'tpot_s', 'latency_s'] as const

/** Mean distance of logarithms, so that a factor too much costs as much as a factor too little. */
function distance(felt: readonly RequestLatency[], log: readonly MeasuredRequest[]): number {
  let sum = 0
  log.forEach((measured, index) => {
    const simulated = felt[index]
    if (!simulated || measured.output < 2) return
    for (const name of NAMES) sum += WEIGHTS[name] * Math.abs(Math.log(simulated[name] / measured[name]))
  })
  return sum / log.length
}

/** Looked at first: from half to twice. What follows would stop in the first valley of a rough landscape. */
const GRID = Array.from({ length: 13 }, (_, step) => 2 ** ((step - 6) / 6))
const FIRST_STEP = 0.06
const LAST_STEP = 0.002
/** Diagonals too: more of one and less of the other change the time of an answer little. */
const DIRECTIONS = [-1, 0, 1].flatMap((decode) => [-1, 0, 1].map((prefill) => [decode, prefill] as const))

/** Factors for which the leading `fitted` requests are felt as measured. All are replayed, for they share the queue. */
export function calibrate(rule: ClusterRule, log: readonly MeasuredRequest[], fitted: number): CostFactors {
  const part = log.slice(0, fitted)
  let best: CostFactors = { decode: 1, prefill: 1 }
  let least = Infinity
  const isBetter = (factors: CostFactors): boolean => {
    const miss = distance(replay(rule, log, factors), part)
    if (miss >= least) return false
    best = factors
    least = miss
    return true
  }
  for (const decode of GRID) for (const prefill of GRID) isBetter({ decode, prefill })
  for (let width = FIRST_STEP; width > LAST_STEP; width /= 2)
    for (let moved = true; moved;) {
      moved = false
      for (const [decode, prefill] of DIRECTIONS)
        if (isBetter({ decode: best.decode * (1 + width) ** decode, prefill: best.prefill * (1 + width) ** prefill })) moved = true
    }
  return best
}
