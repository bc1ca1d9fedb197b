import type { TrafficFigures } from '@ironlaw/contracts/deployment-figures'
import { expect, test } from 'vitest'
import { judgedLatency, momentsOf, priceOf, summaryOf } from './summary.ts'

const window = (from_at: number, over: Partial<TrafficFigures> = {}): TrafficFigures => ({
  from_at,
  revision: 1,
  answers: 300,
  errors: 0,
  tokens: 60_000,
  ttft_s: 0.2,
  tpot_s: 0.02,
  ...over,
})

test('revisions of one window are one moment, weighed by their answers', () => {
  const [moment, ...rest] = momentsOf([window(0), window(0, { revision: 2, answers: 100, ttft_s: 0.8 })])
  expect(rest).toEqual([])
  expect(moment?.answers).toBe(400)
  expect(moment?.ttft_s).toBeCloseTo(Math.exp((300 * Math.log(0.2) + 100 * Math.log(0.8)) / 400), 12)
})

test('rates are of the last five minutes, attainment of all windows with traffic', () => {
  const windows = [window(0), window(600, { ttft_s: 0.9 }), window(660), window(690, { answers: 300, errors: 9 })]
  const summary = summaryOf({ windows }, { now: 700, objectives: { ttft_s: 0.5, tpot_s: 0.05, percentile: 'p50' } })
  expect(summary).toMatchObject({ requests_per_s: 9, tokens_per_s: 1800, kept: 3 / 4, answered: 1200 / 1209 })
  expect(summaryOf({ windows }, { now: 2000, objectives: undefined })).toMatchObject({ requests_per_s: 0 })
  expect(summaryOf({ windows: [] }, { now: 700, objectives: undefined })).toEqual({ requests_per_s: 0, tokens_per_s: 0 })
})

test('an objective is judged by the percentile that it names, and by the typical answer if none is reported', () => {
  const told = window(0, { ttft_percentiles_s: { p50: 0.19, p90: 0.4, p99: 0.8 } })
  expect([judgedLatency(told, 'ttft', 'p99'), judgedLatency(told, 'ttft', 'mean'), judgedLatency(told, 'tpot', 'p99')]).toEqual([
    0.8, 0.2, 0.02,
  ])
  const attainment = (percentile: 'p50' | 'p99') =>
    summaryOf({ windows: [told] }, { now: 20, objectives: { ttft_s: 0.5, tpot_s: 0.05, percentile } }).kept
  expect([attainment('p50'), attainment('p99')]).toEqual([1, 0])
})

test('nothing is priced without a plan', () => {
  expect(priceOf(undefined, 3, { requests_per_s: 1, tokens_per_s: 1 })).toBeUndefined()
})
