import { describe, expect, test } from 'vitest'
import { PLAIN } from '../strategy.ts'
import { chanceText, deviceNeed, fitProbabilityOf, highNeed, marginFor } from './device-need.ts'

const GB = 1e9

describe('the need of a device', () => {
  // 0.05 x 70 = 3.5, 0.06 x 1.04 x 30 = 1.872, and 0.3 outside the allocator.
  test('of 70 GB allocated, 30 of them transient, is 73.7 GB with a spread of 4 GB', () => {
    const { likely, spread } = deviceNeed(PLAIN, { allocated: 70 * GB, transient: 30 * GB })
    expect(likely).toBeCloseTo(73.7 * GB, 0)
    expect(spread).toBeCloseTo(Math.sqrt(3.5 ** 2 + 1.872 ** 2 + 0.3 ** 2) * GB, 0)
  })

  test('is surer where states fill it than where activations do', () => {
    const need = (transient: number) => deviceNeed(PLAIN, { allocated: 70 * GB, transient })
    expect(fitProbabilityOf(need(0), 80 * GB)).toBeGreaterThan(fitProbabilityOf(need(60 * GB), 80 * GB))
  })

  test('is less sure with more communicators', () => {
    const of = (data: number) => deviceNeed({ ...PLAIN, data }, { allocated: 0, transient: 0 })
    expect(of(2).spread).toBeGreaterThan(of(1).spread)
    expect(of(2).likely).toBeGreaterThan(of(1).likely)
  })
})

describe('the probability of fitting', () => {
  const need = { likely: 80 * GB, spread: 3 * GB }
  test.each([
    ['even where the likely need is the device', 80 * GB, 0.5],
    ['one spread to spare', 83 * GB, 0.8413],
    ['one spread short', 77 * GB, 0.1587],
    ['at the upper end of the 90 % interval', highNeed(need), 0.95],
  ])('%s', (_, limit, probability) => expect(fitProbabilityOf(need, limit)).toBeCloseTo(probability, 4))

  // What the search compares and what the plan prints must agree.
  test.each([0.5, 0.8, 0.95, 0.99])('of %d is what leaves its margin free', (probability) =>
    expect(fitProbabilityOf(need, need.likely + marginFor(probability) * need.spread)).toBeCloseTo(probability, 9),
  )

  test.each([
    [1, 'more than 99 %'],
    [0.9949, '99 %'],
    [0.9499, '94 %'],
    [0.95, '95 %'],
    [0.29, '29 %'],
    [0.001, 'less than 1 %'],
  ])('%d is written as %s', (probability, text) => expect(chanceText(probability)).toBe(text))
})
