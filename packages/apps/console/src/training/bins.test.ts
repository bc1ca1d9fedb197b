import { expect, test } from 'vitest'
import { bins } from './bins.ts'

test('every value falls into one part, the largest into the last', () => {
  expect(bins([0, 1, 2, 3, 4], 2)).toEqual([
    { from: 0, to: 2, count: 2 },
    { from: 2, to: 4, count: 3 },
  ])
  expect(bins([7, 7], 4)).toEqual([{ from: 7, to: 7, count: 2 }])
})
