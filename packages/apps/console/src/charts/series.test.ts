import { expect, test } from 'vitest'
import { xValues, readingsAt, seriesRows } from './series.ts'

const SERIES = [
  {
    name: 'attempt 1',
    points: [
      [1, 5],
      [2, 4],
      [3, 3],
    ],
  },
  {
    name: 'attempt 2',
    points: [
      [3, 3.5],
      [4, 2],
    ],
  },
] as const

test('the values nearest to the pointer, of every series that has one there', () => {
  expect(readingsAt(SERIES, 1.4)).toEqual([{ name: 'attempt 1', x: 1, y: 5 }])
  expect(readingsAt(SERIES, 2.9)).toEqual([
    { name: 'attempt 1', x: 3, y: 3 },
    { name: 'attempt 2', x: 3, y: 3.5 },
  ])
  expect(readingsAt([], 1)).toEqual([])
})

test('places in order, inside what is seen', () => {
  expect(xValues(SERIES, [2, 9])).toEqual([2, 3, 4])
})

test('rows for a file', () => {
  expect(seriesRows(SERIES, { x: 'step', y: 'loss' }).slice(0, 2)).toEqual([
    ['series', 'step', 'loss'],
    ['attempt 1', 1, 5],
  ])
})
