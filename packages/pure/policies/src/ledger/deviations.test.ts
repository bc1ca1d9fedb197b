import { expect, test } from 'vitest'
import { deviations } from './deviations.ts'

const PLANNED = { tensor: 2, context: 1, pipeline: 1, expert: 1, data: 4, microbatch: 2, globalBatch: 64, precision: 'bf16-mixed' }

test('a run as planned deviates in nothing', () => {
  expect(deviations({ planned: PLANNED, running: PLANNED, share: 1 })).toEqual([])
})

test('what differs is named with both values', () => {
  expect(deviations({ planned: PLANNED, running: { tensor: 1, data: 8, microbatch: 2 }, share: 1 })).toEqual([
    { field: 'tensor', planned: '2', running: '1' },
    { field: 'data', planned: '4', running: '8' },
  ])
})

test('what the program does not report is no deviation', () => {
  expect(deviations({ planned: PLANNED, running: {}, share: 1 })).toEqual([])
})

test.each([
  ['bf16', []],
  ['bf16-mixed', []],
  ['fp16', [{ field: 'precision', planned: 'bf16-mixed', running: 'fp16' }]],
  ['constructor', [{ field: 'precision', planned: 'bf16-mixed', running: 'constructor' }]],
])('computing in %s', (precision, found) => {
  expect(deviations({ planned: PLANNED, running: { precision }, share: 1 })).toEqual(found)
})

test('an attempt with half of the nodes has half of the data-parallel ranks', () => {
  expect(deviations({ planned: PLANNED, running: { data: 2 }, share: 0.5 })).toEqual([])
  expect(deviations({ planned: PLANNED, running: { data: 4 }, share: 0.5 })).toEqual([{ field: 'data', planned: '2', running: '4' }])
})
