import { expect, test } from 'vitest'
import { projections } from './index.ts'

test('a list of numbers has four projections, the same however long it is', () => {
  const list = Array.from({ length: 384 }, (_, index) => Math.sin(index))
  const found = projections(list) as readonly number[]
  expect(found).toHaveLength(4)
  for (const factor of [1e-3, 2, 1e300])
    for (const [index, each] of (projections(list.map((part) => part * factor)) as readonly number[]).entries())
      expect(each).toBeCloseTo(found[index] as number, 9)
  expect(projections([1, 2, 3])).toBeUndefined()
  expect(projections([...list, Number.NaN])).toBeUndefined()
  expect(projections(Array.from({ length: 8 }, () => 0))).toBeUndefined()
  expect(projections(Array.from({ length: 8 }, () => 1e300))).toEqual(projections(Array.from({ length: 8 }, () => 1)))
})

test('projections of lists that point anywhere have deviation one, and no two of the directions are alike', () => {
  let state = 7
  const draw = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5
  const lists = Array.from({ length: 2000 }, () => Array.from({ length: 128 }, draw))
  const all = lists.map((list) => projections(list) as readonly number[])
  const mean = (of: (each: readonly number[]) => number): number => all.reduce((sum, each) => sum + of(each), 0) / all.length
  for (const k of [0, 1, 2, 3]) {
    expect(Math.abs(mean((each) => (each[k] as number) ** 2) - 1)).toBeLessThan(0.15)
    for (const other of [0, 1, 2, 3].filter((each) => each > k))
      expect(Math.abs(mean((each) => (each[k] as number) * (each[other] as number)))).toBeLessThan(0.15)
  }
})
