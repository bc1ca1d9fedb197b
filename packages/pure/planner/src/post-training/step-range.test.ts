import { expect, test } from 'vitest'
import { rangeOfLonger, rangeOfSum } from './step-range.ts'

/** Log-normal, its 90 % interval a factor of e^(1.645 spread) either way. */
const side = (value: number, spread: number) => ({ value, low: value * Math.exp(-1.645 * spread), high: value * Math.exp(1.645 * spread) })

test('one after the other, two sides are less unsure together than their ends', () => {
  const { value, low, high } = rangeOfSum({ value: 10, low: 7, high: 14 }, { value: 10, low: 6, high: 13 })
  expect([value, low, high]).toEqual([20, 15, 25])
})

test('of two equal sides at once the longer one is above either: 5 % of steps lie below the end, and 5 % above', () => {
  const { low, high } = rangeOfLonger(side(10, 0.2), side(10, 0.2))
  // The square root of 0.05 and of 0.95 as shares of one side: z = -0.760 and 1.955.
  expect(low).toBeCloseTo(10 * Math.exp(0.2 * -0.7601), 2)
  expect(high).toBeCloseTo(10 * Math.exp(0.2 * 1.9545), 2)
})

test('beside a much shorter side, a side has its own interval', () => {
  const { low, high } = rangeOfLonger(side(10, 0.2), side(1, 0.2))
  expect(low).toBeCloseTo(side(10, 0.2).low, 2)
  expect(high).toBeCloseTo(side(10, 0.2).high, 2)
})
