// Each mistake of mistakes.ts is answered by one error with what to do next, never by a stack.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { FEASIBLE, keptMessages, type MistakeResults, makeMistakes } from './make-all.ts'
import { MISTAKES } from './mistakes.ts'

const CLI = join(import.meta.dirname, '../../packages/apps/cli/src/main.ts')
/** Some 40 s on two free processors. */
const LONGEST_MS = 600_000
const keptErrors = keptMessages()
let results: MistakeResults

beforeAll(async () => {
  results = await makeMistakes()
}, LONGEST_MS)

describe.each(FEASIBLE)('$id: $mistake ($command)', ({ id }) => {
  test('is answered by one error and what to do next', () => {
    const { errors = '', output = '' } = results.outcomes.get(id) ?? {}
    const message = results.messages.get(id)
    expect(message, `${output}\n${errors}`).toBeDefined()
    expect(message?.code).not.toBe('IL_UNEXPECTED')
    expect(message?.next.length).toBeGreaterThan(10)
    // A placeholder that nobody filled, a stack, a second error.
    expect(`${message?.message} ${message?.next}`).not.toMatch(/\{[a-z]\w*\}|undefined|\[object/)
    expect(errors).not.toMatch(/^\s+at .+:\d+:\d+/m)
    expect(errors.match(/^error IL_/gm)?.length ?? 0).toBeLessThanOrEqual(1)
  })

  test('is answered as recorded; "npm run mistakes" records it anew', () => {
    expect(results.messages.get(id)).toEqual(keptErrors[id])
  })
})

test('every mistake has its message on record, and nothing else has', () => {
  expect(new Set(Object.keys(keptErrors))).toEqual(new Set(MISTAKES.map(({ id }) => id)))
})

test('no mistake leaves a process behind', () => {
  expect(results.left).toEqual([])
})

test('a reader that has seen enough is no mistake', { timeout: LONGEST_MS }, () => {
  const { status, stderr } = spawnSync('bash', ['-c', `set -o pipefail; "${process.execPath}" "${CLI}" law | head -1`], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
})
