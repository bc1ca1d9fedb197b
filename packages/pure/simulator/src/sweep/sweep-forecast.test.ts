import { expect, test } from 'vitest'
import { sweepForecast } from './sweep-forecast.ts'

const TOTAL = 2700

test('all trials at once: each rung is reached together, and the shares add up', () => {
  // 27 to step 100, 9 to 300, 3 to 900, 1 to the end.
  const steps = 27 * 100 + 9 * 200 + 3 * 600 + 1800
  const { steps_share, runs_long } = sweepForecast({ trials: 27, atOnce: 27, total: TOTAL, stopping: { first: 100, factor: 3 } })
  expect(steps_share.mean).toBeCloseTo(steps / (27 * TOTAL), 10)
  expect(runs_long).toEqual({ mean: 1, low: 1, high: 1 })
})

test('without stopping everything is run', () => {
  expect(sweepForecast({ trials: 10, atOnce: 4, total: TOTAL })).toEqual({
    steps_share: { mean: 1, low: 1, high: 1 },
    runs_long: { mean: 3, low: 3, high: 3 },
  })
})

test('one after the other more is run than together, since the first have nobody to be compared with', () => {
  const stopping = { first: 100, factor: 3 }
  const together = sweepForecast({ trials: 27, atOnce: 27, total: TOTAL, stopping })
  const alone = sweepForecast({ trials: 27, atOnce: 1, total: TOTAL, stopping })
  expect(alone.steps_share.mean).toBeGreaterThan(together.steps_share.mean)
  expect(alone.steps_share.high).toBeLessThan(0.7)
})
