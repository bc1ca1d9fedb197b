import { builtInCatalog } from '@ironlaw/catalog'
import { expect, test } from 'vitest'
import { simulatedRows } from './simulated-runs.ts'

const rows = simulatedRows(builtInCatalog)

test('drains and Poisson runs are scored, each by its own figures', () => {
  const drains = rows.filter(({ kind }) => kind === 'drain')
  const random = rows.filter(({ kind }) => kind === 'poisson')
  expect(drains).toHaveLength(8)
  expect(random).toHaveLength(6)
  expect(new Set(drains.map(({ figures }) => figures.length))).toEqual(new Set([2]))
  for (const { figures } of random) expect(figures.map(({ figure }) => figure).filter((name) => name.endsWith('p99'))).toHaveLength(2)
  for (const { figures } of rows) for (const { predicted } of figures) expect(predicted).toBeGreaterThan(0)
})

test('a 99th percentile lies above its median', () => {
  for (const { figures } of rows.filter(({ kind }) => kind === 'poisson')) {
    const of = (name: string): number => figures.find(({ figure }) => figure === name)?.predicted ?? Number.NaN
    expect(of('time to first token, p99')).toBeGreaterThan(of('time to first token, p50'))
    expect(of('time per token, p99')).toBeGreaterThan(of('time per token, p50'))
  }
})

// What is reached today, no goal: it may get better and not worse.
test('medians of first tokens under random arrivals stay within 30 %', () => {
  const errors = rows.flatMap(({ figures }) => figures.filter(({ figure }) => figure === 'time to first token, p50'))
  for (const { error } of errors) expect(Math.abs(error)).toBeLessThan(0.3)
})
