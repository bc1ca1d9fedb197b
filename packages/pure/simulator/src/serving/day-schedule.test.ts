import { expect, test } from 'vitest'
import { syntheticArrivals } from '../traces/fitted-traffic.ts'
import { daySchedule } from './day-schedule.ts'
import { VLLM_RULE } from './replica-rule.ts'
import { linearCost } from './step-cost.ts'

const cost = linearCost({ step_s: 8e-3, prefillToken_s: 3e-5, prefillPair_s: 1e-9, decodeSequence_s: 3e-5, decodeKey_s: 4e-8 })
const replica = { ...VLLM_RULE, cost, blocks: 4000, ahead: false }
const rule = {
  min: 1,
  max: 6,
  tokensPerSecond: 6000,
  covered: 0.9,
  coldStart_s: 60,
  drain_s: 30,
  downAfter_s: 300,
  idle_s: Infinity,
}
const objectives = { ttft_s: 1, tpot_s: 0.05 }

/** Four hours, of which two have a quarter of the traffic. */
const traffic = {
  window_s: 3600,
  rates: Float64Array.of(8, 2, 2, 8),
  burstiness: 1,
  prompt: Int32Array.of(2000),
  output: Int32Array.of(200),
}
const day = () =>
  daySchedule(
    { replica, replicas: 6, router: 'two-choices', objectives, autoscale: { every_s: 10, rule } },
    () => {
      const next = syntheticArrivals(traffic, { count: Infinity, seed: 1 })
      return (into) => next(into) && into.at < 4 * 3600
    },
    { seed: 1 },
  )

test('fewer replicas in the quiet hours, and users who feel little of it', () => {
  const { hours, held, scaled } = day()
  expect(hours).toHaveLength(4)
  expect(hours[1]?.requests).toBeLessThan(0.3 * (hours[0]?.requests ?? 0))
  expect(hours[1]?.replicas).toBeLessThan(0.8 * (hours[0]?.replicas ?? 0))
  expect(hours[2]?.replicas).toBeLessThan(0.4 * (hours[0]?.replicas ?? 0))
  expect(held.replica_h).toBeCloseTo(24, 0)
  expect(scaled.replica_h).toBeCloseTo(
    hours.reduce((sum, { replicas }) => sum + replicas, 0),
    0,
  )
  expect(scaled.replica_h).toBeLessThan(0.8 * held.replica_h)
  expect(scaled.attained).toBeGreaterThan(held.attained - 0.03)
})

test('one seed gives one day', () => expect(day()).toEqual(day()))
