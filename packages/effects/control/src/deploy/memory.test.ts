import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { memoryText, readMemory } from './memory.ts'

/** Written by the version of 2026-11-16, in the middle of a rollout with scaling, before any was parsed. */
const WRITTEN = readFileSync(join(import.meta.dirname, '../../test/memory-2026-11-16.json'), 'utf8')

test('the memory of an earlier version is read as it is', () => {
  expect(readMemory(WRITTEN)).toEqual(JSON.parse(WRITTEN))
  expect(readMemory(WRITTEN).evidence?.canary.ttft.differences.length).toBeGreaterThan(0)
})

test('what is written is read again', () => {
  const memory = readMemory(WRITTEN)
  expect(readMemory(memoryText(memory))).toMatchObject({ ...memory })
})

test.each([
  ['nothing', null],
  ['no JSON', '{"silent":'],
  ['another shape', '{"silent":{"r":"long"}}'],
  ['a newer version', JSON.stringify({ ...JSON.parse(WRITTEN), version: 2 })],
])('%s is an empty memory', (_, text) => expect(readMemory(text)).toEqual({ silent: {} }))

test('a part that cannot be read costs that part alone', () => {
  const { trail: _trail, ...rest } = JSON.parse(WRITTEN)
  const damaged = { ...rest, trail: { revision: 2, every_s: 1, points: [{ at: 1, stage: 0, evidence: { errors: null } }] } }
  expect(readMemory(JSON.stringify(damaged))).toEqual(rest)
})
