import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { permutation } from './permutation.ts'

const LARGEST = Number.MAX_SAFE_INTEGER
const size = fc.oneof(
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 1, max: LARGEST }),
  fc.integer({ min: LARGEST - 9, max: LARGEST }),
)

test('every size from 1 to 2000 is permuted, and the inverse leads back', () => {
  for (let each = 1; each <= 2000; each += 1) {
    const { at, inverse } = permutation(`seed ${each}`, each)
    const seen = new Uint8Array(each)
    for (let index = 0; index < each; index += 1) {
      const value = at(index)
      seen[value] = 1
      if (inverse(value) !== index) expect.fail(`${index} of ${each} went to ${value}, which came from ${inverse(value)}`)
    }
    if (seen.includes(0)) expect.fail(`${seen.indexOf(0)} of ${each} is never shown`)
  }
})

property.prop([fc.string(), size, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })])(
  'the inverse leads back at any size, up to the largest integer',
  (seed, elements, part) => {
    const index = Math.min(elements - 1, Math.floor(part * elements))
    const { at, inverse } = permutation(seed, elements)
    expect(at(index)).toBeLessThan(elements)
    expect(inverse(at(index))).toBe(index)
    expect(at(inverse(index))).toBe(index)
  },
)

/** Standard deviations that the chi-square of counts lies from what equal chances give. */
function surprise(counts: readonly number[]): number {
  const expected = counts.reduce((sum, each) => sum + each, 0) / counts.length
  const chiSquare = counts.reduce((sum, each) => sum + (each - expected) ** 2 / expected, 0)
  const freedom = counts.length - 1
  return (chiSquare - freedom) / Math.sqrt(2 * freedom)
}

const counted = (values: readonly number[], cells: number): readonly number[] => {
  const counts = Array.from({ length: cells }, () => 0)
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

test('over seeds an element is anywhere with equal chance, and so is the distance to its neighbour', () => {
  const orders = Array.from({ length: 4000 }, (_, seed) => permutation(String(seed), 40))
  expect(
    surprise(
      counted(
        orders.map(({ at }) => at(7)),
        40,
      ),
    ),
  ).toBeLessThan(5)
  const apart = orders.map(({ at }) => ((at(8) - at(7) + 40) % 40) - 1)
  expect(surprise(counted(apart, 39))).toBeLessThan(5)
})

test('along one large permutation, values and distances of neighbours fall evenly', () => {
  const { at } = permutation('one', 1e10)
  const values = Array.from({ length: 20_000 }, (_, index) => at(index))
  const cell = (value: number): number => Math.floor(value / 1e8)
  expect(surprise(counted(values.map(cell), 100))).toBeLessThan(5)
  const apart = values.slice(1).map((value, index) => cell((value - (values[index] ?? 0) + 1e10) % 1e10))
  expect(surprise(counted(apart, 100))).toBeLessThan(5)
})

test('what is no element is refused', () => {
  const { at, inverse } = permutation('seed', 10)
  for (const wrong of [-1, 10, 0.5, Number.NaN]) {
    expect(() => at(wrong)).toThrow(RangeError)
    expect(() => inverse(wrong)).toThrow(RangeError)
  }
  expect(() => permutation('seed', 0)).toThrow('1 to 2^53 - 1')
})
