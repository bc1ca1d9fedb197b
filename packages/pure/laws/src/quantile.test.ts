import { expect, test } from 'vitest'
import { median, quantile } from './quantile.ts'

// As numpy.quantile prints them.
test.each<[values: readonly number[], share: number, expected: number]>([
  [[3, 1, 2], 0.5, 2],
  [[4, 1, 3, 2], 0.5, 2.5],
  [[1, 2, 3, 4, 5], 0.9, 4.6],
  [[1, 2, 3, 4, 5], 0, 1],
  [[1, 2, 3, 4, 5], 1, 5],
  [[7], 0.95, 7],
])('%j at %d is %d', (values, share, expected) => expect(quantile(values, share)).toBeCloseTo(expected, 12))

test('a median lies between the two in the middle', () => expect(median([1, 10, 2, 20])).toBe(6))

test('no values have none', () => expect(quantile([], 0.5)).toBeNaN())
