import { expect, test } from 'vitest'
import { stageKinds, stagesOf } from './stages.ts'

const counts = (layers: number, pipeline: number): number[] =>
  stagesOf(
    Array.from({ length: layers }, () => 1),
    2,
    pipeline,
  ).map((stage) => stage.layers[1] ?? 0)

test.each([
  [8, 1, [8]],
  [8, 4, [2, 2, 2, 2]],
  [9, 4, [2, 3, 2, 2]],
  [10, 4, [2, 3, 3, 2]],
  [11, 4, [3, 3, 3, 2]],
  [5, 2, [3, 2]],
])('%d layers on %d stages', (layers, pipeline, want) => {
  expect(counts(layers, pipeline)).toEqual(want)
})

test('every layer is somewhere, the ends are never heavier than the middle', () => {
  for (let layers = 1; layers <= 130; layers += 1)
    for (let pipeline = 1; pipeline <= Math.min(layers, 20); pipeline += 1) {
      const held = counts(layers, pipeline)
      expect(held.reduce((sum, count) => sum + count, 0)).toBe(layers)
      expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1)
      expect(held.at(-1)).toBe(Math.min(...held))
    }
})

test('equal stages are one kind, represented by the first of them', () => {
  const kinds = stageKinds(
    Array.from({ length: 16 }, () => 1),
    2,
    8,
  )
  expect(kinds.map(({ earliest, times }) => [earliest, times])).toEqual([
    [0, 1],
    [1, 6],
    [7, 1],
  ])
})
