import { expect, test } from 'vitest'
import { seeded } from '../../../packages/effects/gateway/test/malformed.ts'
import { type Pair, pooledRatio, typicalRatio } from './ratio-interval.ts'

/** Latencies with a tail, in blocks whose machine is slow by turns; those of the second condition longer by a factor. */
function pairsOf(factor: number): readonly Pair[] {
  const draw = seeded(7)
  return Array.from({ length: 30 }, (_, block) => {
    const slow = block % 10 === 0 ? 5 : 1
    const latencies = (by: number): number[] => Array.from({ length: 200 }, () => (by * slow) / (0.02 + draw()))
    return { without: latencies(1), with: latencies(factor) }
  })
}

for (const [name, statistic] of [
  ['pooled', pooledRatio],
  ['typical', typicalRatio],
] as const)
  for (const factor of [1, 2])
    test(`${name}, conditions that differ by a factor of ${factor}: it lies in the interval, and the interval says something`, () => {
      const { ratio, low, high } = statistic(pairsOf(factor), { share: 0.99, draw: seeded(1), draws: 100 })
      expect(low).toBeLessThanOrEqual(ratio)
      expect(high).toBeGreaterThanOrEqual(ratio)
      expect(low).toBeLessThan(1.05 * factor)
      expect(high).toBeGreaterThan(0.95 * factor)
      expect(high / low).toBeLessThan(2)
    })
