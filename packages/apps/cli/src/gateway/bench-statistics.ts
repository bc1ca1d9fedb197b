// Figures of a load test with confidence intervals, and the reasons that make a test invalid.

import { showPercent } from '@ironlaw/units'
import type { ChatUsage } from './chat-stream.ts'

export type TimedRequest = {
  /** All in seconds since the test began. */
  readonly dueAt: number
  readonly sentAt: number
  readonly firstAt: number
  readonly endedAt: number
  readonly tokens: number
  readonly ok: boolean
  /** Why it failed. */
  readonly problem?: string
  /** What the engine reported with the answer. */
  readonly spent?: ChatUsage
}

export type Estimate = { readonly value: number; readonly low: number; readonly high: number }

export type BenchFigures = {
  readonly answers: number
  readonly failed: number
  readonly tokens_per_s: Estimate
  readonly requests_per_s: Estimate
  readonly ttft_s: Readonly<Record<Percentile, Estimate>>
  readonly tpot_s: Readonly<Record<Percentile, Estimate>>
  readonly latency_s: Readonly<Record<Percentile, Estimate>>
  /** Why these figures are not reliable; empty when they are. */
  readonly noise: readonly string[]
}

const PERCENTILES = { p50: 0.5, p90: 0.9, p99: 0.99 } as const
type Percentile = keyof typeof PERCENTILES

const Z95 = 1.96
/** Batches whose means are nearly independent; fewer say nothing about the spread, more are correlated. */
const BATCHES = 10
export const LEAST_ANSWERS = 100
export const MOST_FAILED = 0.01
/** Of the throughput: with a wider interval, a change that matters would not show. */
const MOST_SPREAD = 0.1
/** A generator that sends late measures itself instead of the server. */
const MOST_LATE_S = 0.05

/** The part of a test that counts. */
export type TimeWindow = { readonly from_s: number; readonly to_s: number }

export const isWithin = ({ endedAt }: TimedRequest, { from_s, to_s }: TimeWindow): boolean => endedAt >= from_s && endedAt < to_s

type Traffic = {
  /** The rate is constant, so varying throughput means noise. */
  readonly isSteady: boolean
}

export function benchFigures(
  all: readonly TimedRequest[],
  { from_s, to_s }: TimeWindow,
  { isSteady }: Traffic = { isSteady: true },
): BenchFigures {
  const counted = all.filter((each) => isWithin(each, { from_s, to_s }))
  const good = counted.filter(({ ok }) => ok)
  const rates = (of: (each: TimedRequest) => number): Estimate => batchMean(good, of, { from_s, to_s })
  const spread = (of: (each: TimedRequest) => number): BenchFigures['ttft_s'] => percentiles(good.map(of))
  const figures = {
    answers: good.length,
    failed: counted.length - good.length,
    tokens_per_s: rates(({ tokens }) => tokens),
    requests_per_s: rates(() => 1),
    ttft_s: spread(({ firstAt, dueAt }) => firstAt - dueAt),
    tpot_s: percentiles(good.filter(({ tokens }) => tokens > 1).map((each) => (each.endedAt - each.firstAt) / (each.tokens - 1))),
    latency_s: spread(({ endedAt, dueAt }) => endedAt - dueAt),
  }
  const late = percentiles(counted.map(({ sentAt, dueAt }) => sentAt - dueAt)).p99.value
  const problem = counted.find((each) => each.problem !== undefined)?.problem
  return { ...figures, noise: noiseOf(figures, { late, problem, isSteady }) }
}

type ObservedLoad = Traffic & { readonly late: number; readonly problem: string | undefined }

function noiseOf(
  { answers, failed, requests_per_s }: Omit<BenchFigures, 'noise'>,
  { late, problem, isSteady }: ObservedLoad,
): readonly string[] {
  const { value, low, high } = requests_per_s
  const spread = isSteady ? (high - low) / (2 * value) : 0
  return [
    ...(failed > MOST_FAILED * (answers + failed)
      ? [
          `${answers === 0 ? 'all' : `${failed} of`} ${answers + failed} requests failed${problem === undefined ? '' : `; first error: ${problem}`}`,
        ]
      : []),
    ...(answers < LEAST_ANSWERS && answers > failed ? [`${answers} answers are too few; test for longer`] : []),
    ...(spread > MOST_SPREAD
      ? [`throughput varies by ${showPercent(spread, 0)}; test for longer, or reduce other load on the machine`]
      : []),
    ...(late > MOST_LATE_S ? [`requests left ${(1000 * late).toFixed(0)} ms late at p99; the generator is too slow for this load`] : []),
  ]
}

/** Per second, with an interval from the spread of its batches. */
function batchMean(all: readonly TimedRequest[], of: (each: TimedRequest) => number, { from_s, to_s }: TimeWindow): Estimate {
  const width = (to_s - from_s) / BATCHES
  const sums = Array.from({ length: BATCHES }, () => 0)
  for (const each of all) {
    const batch = Math.min(BATCHES - 1, Math.floor((each.endedAt - from_s) / width))
    sums[batch] = (sums[batch] ?? 0) + of(each) / width
  }
  const mean = sums.reduce((sum, value) => sum + value, 0) / BATCHES
  const variance = sums.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (BATCHES - 1)
  const half = Z95 * Math.sqrt(variance / BATCHES)
  return { value: mean, low: mean - half, high: mean + half }
}

/** Intervals by order statistics: the rank of a quantile among n is binomial, whatever the distribution. */
export function percentiles(values: readonly number[]): Readonly<Record<Percentile, Estimate>> {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (rank: number): number => sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(rank)))] ?? Number.NaN
  const estimate = (share: number): Estimate => {
    const rank = share * (sorted.length - 1)
    const half = Z95 * Math.sqrt(sorted.length * share * (1 - share))
    return { value: at(rank), low: at(rank - half), high: at(rank + half) }
  }
  return { p50: estimate(PERCENTILES.p50), p90: estimate(PERCENTILES.p90), p99: estimate(PERCENTILES.p99) }
}
