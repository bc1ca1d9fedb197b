import { describe, expect, test } from 'vitest'
import { batchedState, budgetSlack, cascade, ensemble, waitBefore } from './classical.ts'

const MODEL = { fixed_s: 0.004, perItem_s: 0.001 }

describe('batches of a model that answers in one pass', () => {
  const at = (requests_per_s: number, window_s = 0.01) => batchedState(MODEL, { requests_per_s, window_s, batchMost: 32, servers: 1 })

  test('a window collects what comes while it is open', () => {
    expect(at(100).batch).toBeCloseTo(2)
    expect(at(100).service_s).toBeCloseTo(0.006)
    expect(at(100).utilization).toBeCloseTo(0.3)
  })

  test('a longer window makes larger batches and less load, at the price of waiting', () => {
    expect(at(100, 0.05).batch).toBeGreaterThan(at(100).batch)
    expect(at(100, 0.05).utilization).toBeLessThan(at(100).utilization)
  })

  test('what the largest batch cannot carry saturates', () => {
    expect(at(2000).saturated).toBe(true)
    expect(at(2000).p99_s).toBe(Infinity)
  })
})

test('constant service waits half as long as random service', () => {
  const of = (serviceCv: number): number => waitBefore({ service_s: 0.01, utilization: 0.8, serviceCv })
  expect(of(1)).toBeCloseTo(0.04)
  expect(of(0)).toBeCloseTo(0.02)
})

test('stages share a budget', () => {
  const { total_s, slack_s } = budgetSlack([0.01, 0.02, 0.05, 0.1], 0.2)
  expect(total_s).toBeCloseTo(0.18)
  expect(slack_s).toBeCloseTo(0.02)
})

test('a cascade always pays for the cheap stage and rarely for the expensive one', () => {
  const { mean_s, worst_s, mean_usd } = cascade([
    { time_s: 0.01, cost_usd: 1, passedOn: 0.1 },
    { time_s: 0.1, cost_usd: 20, passedOn: 0 },
  ])
  expect(mean_s).toBeCloseTo(0.02)
  expect(worst_s).toBeCloseTo(0.11)
  expect(mean_usd).toBeCloseTo(3)
})

test('an ensemble is as slow as its slowest, and slow more often than any', () => {
  const { time_s, slowShare } = ensemble([0.01, 0.03, 0.02], 0.01)
  expect(time_s).toBe(0.03)
  expect(slowShare).toBeCloseTo(1 - 0.99 ** 3)
})
