import { expect, test } from 'vitest'
import { benchFigures, percentiles, type TimedRequest } from './bench-statistics.ts'

/** A constant rate of answers for a minute, each after 0.1 s with 10 tokens in 0.9 s more. */
const steady = (perSecond: number, change: (each: TimedRequest, index: number) => TimedRequest = (each) => each): readonly TimedRequest[] =>
  Array.from({ length: 60 * perSecond }, (_, index) => {
    const dueAt = index / perSecond
    return change({ dueAt, sentAt: dueAt, firstAt: dueAt + 0.1, endedAt: dueAt + 1, tokens: 10, ok: true }, index)
  })

const measured = (all: readonly TimedRequest[]) => benchFigures(all, { from_s: 10, to_s: 60 })

test('a steady load is measured as it is, without its warm-up', () => {
  const figures = measured(steady(10))
  expect(figures.noise).toEqual([])
  expect(figures.answers).toBe(500)
  expect(figures.requests_per_s.value).toBeCloseTo(10, 6)
  expect(figures.tokens_per_s.value).toBeCloseTo(100, 6)
  expect(figures.ttft_s.p99.value).toBeCloseTo(0.1, 6)
  expect(figures.tpot_s.p50.value).toBeCloseTo(0.1, 6)
  expect(figures.latency_s.p50.value).toBeCloseTo(1, 6)
})

test('a test that is too noisy is rejected, with the reason', () => {
  expect(measured(steady(1)).noise).toEqual([expect.stringContaining('too few')])
  expect(measured(steady(10, (each, index) => ({ ...each, ok: index % 50 !== 0 }))).noise).toEqual(['10 of 500 requests failed'])
  const failing = steady(10, (each, index) =>
    index === 300 ? { ...each, ok: false, problem: 'HTTP 401' } : { ...each, ok: index % 50 !== 0 },
  )
  expect(measured(failing).noise).toEqual(['10 of 500 requests failed; first error: HTTP 401'])
  expect(measured(steady(10, (each) => ({ ...each, sentAt: each.dueAt + 0.2 }))).noise).toEqual([expect.stringContaining('200 ms late')])
  expect(measured(steady(10).filter(({ endedAt }) => endedAt < 20 || endedAt > 40)).noise).toEqual([expect.stringContaining('varies')])
})

test('intervals of percentiles cover the true value about as often as stated', () => {
  let held = 0
  let state = 1
  const draw = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
  for (let trial = 0; trial < 500; trial += 1) {
    const { low, high } = percentiles(Array.from({ length: 300 }, draw)).p90
    if (low <= 0.9 && high >= 0.9) held += 1
  }
  expect(held / 500).toBeGreaterThan(0.92)
  expect(held / 500).toBeLessThan(0.99)
})
