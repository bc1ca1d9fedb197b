import type { DataFigures } from '@ironlaw/contracts/data-figures'
import { expect, test } from 'vitest'
import { comparedBy, lengthSeries, sharesBy, sourceRows } from './distributions.ts'

const source = (documents: number, lengths: readonly number[], tokens = 0): DataFigures['sources'][string] => ({
  records: documents,
  violations: 0,
  fields: {},
  out: { documents, bytes: 10 * documents, tokens },
  lengths,
})

test('lengths are shares of the documents of a source; sources beyond the colours are drawn as one', () => {
  expect(lengthSeries({ steps: [], sources: { web: source(4, [0, 1, 3]), none: source(0, []) } })).toEqual([
    {
      name: 'web',
      ink: 'work',
      points: [
        [1, 0],
        [2, 0.25],
        [4, 0.75],
      ],
    },
  ])
  const many = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`s${at}`, source(10 - at, at === 7 ? [1, 2] : [10 - at])]))
  const series = lengthSeries({ steps: [], sources: many })
  expect(series.map(({ name }) => name)).toEqual(['s0', 's1', 's2', 's3', 'other sources'])
  expect(series[4]?.points).toEqual([
    [1, 16 / 18],
    [2, 2 / 18],
  ])
})

test('sources have their origin, and are compared by tokens where there are any', () => {
  const figures = { steps: [], sources: { web: source(10, [], 60), made: source(10, [], 20), more: source(10, [], 20) } }
  const named = {
    sources: [
      { name: 'made', origin: 'synthetic' as const, generation: 2 },
      { name: 'web', origin: 'real' as const, generation: 0 },
      { name: 'more', origin: 'synthetic' as const, generation: 2 },
    ],
    units: [],
  }
  const rows = sourceRows(figures, named)
  expect(rows.map(({ source: name }) => name)).toEqual(['made', 'web', 'more'])
  expect(sharesBy(rows, ({ origin }) => origin)).toEqual([
    { name: 'real', amount: 60, share: 0.6 },
    { name: 'synthetic, generation 2', amount: 40, share: 0.4 },
  ])
  expect(sourceRows(figures, undefined)[0]?.origin).toBe('unknown')
  expect(comparedBy(sourceRows({ steps: [], sources: { web: source(1, []) } }, undefined))).toBe('bytes')
})
