import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitCosts } from './fit.ts'

const sizes = [1, 3, 10, 30, 100, 300]
const rowsOf = (start: number, each: number, off: (index: number) => number = () => 1) =>
  sizes.map((size, index) => ({ units: [1, size], seconds: (start + each * size) * off(index) }))

test('property: costs that made the times are found again', () => {
  const cost = fc.double({ min: 1e-6, max: 1e-2, noNaN: true })
  fc.assert(
    fc.property(cost, cost, (start, each) => {
      const { costs, error } = fitCosts(rowsOf(start, each))
      expect((costs[0] ?? 0) / start).toBeCloseTo(1, 2)
      expect((costs[1] ?? 0) / each).toBeCloseTo(1, 2)
      expect(error).toBeLessThan(1e-2)
    }),
  )
})

test('one row that took three times as long moves the costs little', () => {
  const { costs } = fitCosts(rowsOf(1e-3, 1e-4, (index) => (index === 2 ? 3 : 1)))
  expect(costs[1]).toBeGreaterThan(0.85e-4)
  expect(costs[1]).toBeLessThan(1.15e-4)
})

test('a part that costs nothing costs nothing, never less', () => {
  const { costs } = fitCosts(sizes.map((size) => ({ units: [1, size], seconds: 1e-4 * size * (1 - 1e-4 * size) })))
  expect(costs.every((cost) => cost >= 0)).toBe(true)
})
