import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ALLOCATIONS, ATTEMPTS, REPLICAS, REVISIONS, storedBodies } from './stored-bodies.ts'

/** Documents that the version of 2026-11-16 wrote, before any was parsed. */
const WRITTEN: Readonly<Record<string, readonly object[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, '../test/rows-2026-11-16.json'), 'utf8'),
)

const rowsOf = (bodies: readonly object[], owner = 'r') => bodies.map((body, index) => ({ owner, name: `number ${index + 1}`, body }))

describe('rows of an earlier version are read as they are', () => {
  for (const of of [ATTEMPTS, ALLOCATIONS, REVISIONS, REPLICAS])
    test(of.table, () => {
      const bodies = WRITTEN[of.table] ?? []
      expect(bodies.length).toBeGreaterThan(1)
      expect(storedBodies<unknown>(of, rowsOf(bodies)).get('r')).toEqual(bodies)
    })
})

const [attempt = {}] = WRITTEN['attempts'] ?? []

test('a row that cannot be read is an error that names it, in its own turn', () => {
  const rows = [...rowsOf([attempt, { ...attempt, state: 'paused', number: '2' }]), ...rowsOf([attempt], 's')]
  const attempts = storedBodies(ATTEMPTS, rows)
  expect(() => attempts.get('r')).toThrow(/attempts\.body of r, number 2 cannot be read: number: .*; state: /)
  expect([attempts.readable('r'), attempts.readable('s'), attempts.get('s'), attempts.get('t')]).toEqual([
    [attempt],
    [attempt],
    [attempt],
    [],
  ])
})

test('what a newer control plane has added is kept', () => {
  expect(storedBodies(ATTEMPTS, rowsOf([{ ...attempt, mood: 'good' }])).get('r')).toEqual([{ ...attempt, mood: 'good' }])
})
