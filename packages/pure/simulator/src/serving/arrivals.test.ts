import { expect, test } from 'vitest'
import { RandomStream } from '../kernel/random-stream.ts'
import { logNormalLength } from './arrivals.ts'

const DRAWS = 20_000

function drawn(mean: number, most?: number): readonly number[] {
  const random = new RandomStream([7])
  const length = logNormalLength(mean, 0.9, most)
  return Array.from({ length: DRAWS }, () => length(random))
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

test.each([[1000, undefined] as const, [1000, 4000] as const, [100_000, 131_072] as const])(
  'lengths of %i on average, at most %s, have that mean',
  (mean, most) => {
    const lengths = drawn(mean, most)
    expect(Math.abs(meanOf(lengths) / mean - 1)).toBeLessThan(0.02)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(most ?? Infinity)
  },
)

test('a mean beyond the most is the most', () => {
  expect(new Set(drawn(5000, 4096))).toEqual(new Set([4096]))
})
