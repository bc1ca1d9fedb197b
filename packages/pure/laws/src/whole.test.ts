import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tolerantFloor, tolerantCeil } from './whole.ts'

test.each([
  [(10 * 2.1) / 0.7, 30, 30],
  [30.0001, 31, 30],
  [29.9999, 30, 29],
  [0, 0, 0],
  [0.1 + 0.2 + 0.7, 1, 1],
])('%d', (value, up, down) => {
  expect([tolerantCeil(value), tolerantFloor(value)]).toEqual([up, down])
})

test('a quotient of whole numbers rounds as the whole numbers say', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 1e4 }), fc.constantFrom(0.1, 0.7, 1.1, 1e-3), (a, b, unit) => {
      expect(tolerantCeil((a * unit) / (b * unit))).toBe(Math.ceil(a / b))
      expect(tolerantFloor((a * unit) / (b * unit))).toBe(Math.floor(a / b))
    }),
  )
})
