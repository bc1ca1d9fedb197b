import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance, nearestNames } from './nearest.ts'

test.each([
  ['kitten', 'sitting', 3],
  ['', 'abc', 3],
  ['same', 'same', 0],
])('editDistance(%s, %s) is %d', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance)
})

test('edit distance is symmetric, bounded by the longer text, and zero only for equals', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a))
      expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length))
      expect(editDistance(a, b) === 0).toBe(a === b)
    }),
  )
})

const KNOWN = [{ name: 'h100-sxm', aliases: ['H100'] }, { name: 'h200-sxm' }, { name: 'tpu-v4' }, { name: 'tpu-v5e' }]

test.each([
  ['h10-sxm', 'h100-sxm'],
  ['TPU', 'tpu-v4'],
  ['H100 SXN', 'h100-sxm'],
  ['v5e', 'tpu-v5e'],
])('%s is near %s', (typed, first) => {
  expect(nearestNames(typed, KNOWN)[0]).toBe(first)
})

test('what resembles nothing has no suggestion', () => {
  expect(nearestNames('zzzzzzzzzz', KNOWN)).toEqual([])
})
