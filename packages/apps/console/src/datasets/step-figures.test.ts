import type { DataFigures } from '@ironlaw/contracts/data-figures'
import { expect, test } from 'vitest'
import { funnelRows, reasonsOf, totalsOf } from './step-figures.ts'

const step = (name: string, into: number, kept: number): DataFigures['steps'][number] => ({
  step: name,
  into: { documents: into, bytes: 10 * into },
  kept: { documents: kept, bytes: 5 * kept },
  dropped: {
    short: { documents: 1, bytes: 1, examples: [] },
    long: { documents: 7, bytes: 1, examples: [] },
    loud: { documents: 1, bytes: 1, examples: [] },
  },
})

test('bars are shares of the most that went into any step', () => {
  const figures = { steps: [step('keep', 100, 75), step('deduplicate', 75, 50)], sources: {} }
  expect(funnelRows(figures, 'documents').map(({ keptShare, droppedShare }) => [keptShare, droppedShare])).toEqual([
    [0.75, 0.25],
    [0.5, 0.25],
  ])
  expect(funnelRows(figures, 'bytes')[0]).toMatchObject({ keptShare: 0.375, droppedShare: 0.625 })
  expect(funnelRows({ steps: [step('tokenize', 0, 0)], sources: {} }, 'documents')).toEqual([])
})

test('a contract is counted in records, which have no bytes of text yet', () => {
  const web = { records: 20, violations: 5, fields: {}, out: { documents: 4, bytes: 40, tokens: 9 }, lengths: [] }
  const figures = { steps: [step('expect', 0, 0), step('keep', 15, 10)], sources: { web } }
  expect(funnelRows(figures, 'documents').map(({ step: name, keptShare }) => [name, keptShare])).toEqual([
    ['expect', 0.75],
    ['keep', 0.5],
  ])
  expect(funnelRows(figures, 'bytes').map(({ step: name }) => name)).toEqual(['keep'])
})

test('the reason with the most documents comes first', () => {
  expect(reasonsOf(step('keep', 9, 0)).map(({ reason }) => reason)).toEqual(['long', 'loud', 'short'])
})

test('totals are over all sources', () => {
  const source = { records: 5, violations: 1, fields: {}, out: { documents: 4, bytes: 40, tokens: 9 }, lengths: [] }
  expect(totalsOf({ steps: [], sources: { a: source, b: source } })).toEqual({
    records: 10,
    violations: 2,
    documents: 8,
    bytes: 80,
    tokens: 18,
  })
})
