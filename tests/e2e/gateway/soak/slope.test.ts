import { expect, test } from 'vitest'
import { seeded } from '../../../../packages/effects/gateway/test/malformed.ts'
import { slopeOf } from './slope.ts'

const readings = (perHour: number, noise: number) => {
  const draw = seeded(7)
  return Array.from({ length: 400 }, (_, index) => ({
    at_s: 6 * index,
    value: 100 + (perHour * 6 * index) / 3600 + noise * (draw() - 0.5),
  }))
}

test('a line is found exactly, noise around none holds none within its interval, growth beyond the noise is seen', () => {
  expect(slopeOf(readings(12, 0))?.perHour).toBeCloseTo(12)
  const flat = slopeOf(readings(0, 20))
  expect(flat && flat.low < 0 && flat.high > 0).toBe(true)
  expect(slopeOf(readings(60, 20))?.low).toBeGreaterThan(30)
  expect(slopeOf(readings(1, 1).slice(0, 19))).toBeUndefined()
})
