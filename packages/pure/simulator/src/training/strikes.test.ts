import { DAY } from '@ironlaw/units'
import { describe, expect, test } from 'vitest'
import { RandomStream } from '../kernel/random-stream.ts'
import { gamma } from './gamma.ts'
import { ticks } from './ledger.ts'
import { Strikes } from './strikes.ts'

const PARTS = { units: 60, mtbf_s: 20 * DAY }
const WINDOW = ticks(30 * DAY)

/** Failures in the window, every part replaced by a new one as it fails: each part followed by itself. */
function oneByOne(shape: number, age_s: number, seed: number): number {
  const random = new RandomStream([seed])
  const scale = ticks(PARTS.mtbf_s) / gamma(1 + 1 / shape)
  const aged = ticks(age_s) / scale
  let failures = 0
  for (let part = 0; part < PARTS.units; part += 1) {
    let at = scale * ((aged ** shape + random.exponential()) ** (1 / shape) - aged)
    for (; at < WINDOW; at += scale * random.exponential() ** (1 / shape)) failures += 1
  }
  return failures
}

/** The same by the common process and renewals. */
function together(shape: number, age_s: number, seed: number): number {
  const strikes = new Strikes({ ...PARTS, shape, age_s }, new RandomStream([seed]))
  const renewals: { at: number; unit: number }[] = []
  const struck = (unit: number, now: number): void => {
    const at = strikes.renew(unit, now)
    if (at < WINDOW) renewals.push({ at, unit })
  }
  let failures = 0
  for (let now = strikes.next(0); now < WINDOW; now = strikes.next(now)) {
    const { unit } = strikes
    if (strikes.isVoid(unit)) continue
    failures += 1
    struck(unit, now)
  }
  for (let next = renewals.pop(); next; next = renewals.pop()) {
    failures += 1
    struck(next.unit, next.at)
  }
  return failures
}

describe('failures of many parts', () => {
  test.each([
    [0.7, 0],
    [0.7, 100 * DAY],
    [1, 0],
    [2.5, 0],
    [2.5, 15 * DAY],
  ])('come as often as those of each part by itself: Weibull shape %d, age %d s', (shape, age) => {
    const mean = (count: (shape: number, age: number, seed: number) => number): number =>
      Array.from({ length: 400 }, (_, seed) => count(shape, age, seed)).reduce((sum, each) => sum + each, 0) / 400
    expect(mean(together) / mean(oneByOne)).toBeGreaterThan(0.98)
    expect(mean(together) / mean(oneByOne)).toBeLessThan(1.02)
  })

  test('the gamma function has its known values', () => {
    expect(gamma(5)).toBeCloseTo(24, 10)
    expect(gamma(0.5)).toBeCloseTo(Math.sqrt(Math.PI), 12)
  })
})
