import { describe, expect, test } from 'vitest'
import { RandomStream } from './random-stream.ts'

const uniformDraws = (names: readonly number[], count: number): number[] => {
  const stream = new RandomStream(names)
  return Array.from({ length: count }, () => stream.uniform())
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

describe('random stream', () => {
  test('is the same for the same names and another for others', () => {
    expect(uniformDraws([1, 2, 3], 20)).toEqual(uniformDraws([1, 2, 3], 20))
    const firsts = new Set(Array.from({ length: 10_000 }, (_, replica) => uniformDraws([1, replica, 0], 1)[0]))
    expect(firsts.size).toBe(10_000)
    expect(uniformDraws([1, 2], 5)).not.toEqual(uniformDraws([2, 1], 5))
  })

  test('spreads evenly, and streams with neighbouring names do not follow each other', () => {
    const [a, b] = [uniformDraws([7, 0], 100_000), uniformDraws([7, 1], 100_000)]
    expect(mean(a)).toBeCloseTo(0.5, 2)
    expect(mean(a.map((value, index) => (value - 0.5) * (b[index]! - 0.5)))).toBeCloseTo(0, 3)
    const bins = Array.from({ length: 10 }, (_, bin) => a.filter((value) => Math.floor(10 * value) === bin).length)
    for (const bin of bins) expect(Math.abs(bin - 10_000)).toBeLessThan(400)
  })

  test('has the moments of its distributions', () => {
    const stream = new RandomStream([3])
    const exponential = Array.from({ length: 100_000 }, () => stream.exponential())
    expect(mean(exponential)).toBeCloseTo(1, 1)
    expect(mean(exponential.map((value) => value * value))).toBeCloseTo(2, 0)
    expect(new Set(Array.from({ length: 1000 }, () => stream.below(3)))).toEqual(new Set([0, 1, 2]))
  })
})
