import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { beginnings, markBegin, recoverySeconds } from './attempts.ts'

test.each([
  ['nothing is lost by work that was begun once', [1000], [2000, 3000], 0],
  ['what came after the last task is lost', [0, 60_000], [10_000, 20_000, 90_000], 40],
  ['an attempt that finished nothing is lost whole', [0, 60_000, 100_000], [20_000, 130_000], 40 + 40],
  ['work that was all done before loses only the pause', [0, 60_000], [10_000, 59_000], 1],
])('%s', (_, begun, done, seconds) => {
  expect(recoverySeconds(begun, done)).toBe(seconds)
})

test('beginnings are kept in the order of time', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pipelines-attempts-'))
  try {
    for (const at of [1_800_000_000_000.4, 999, 1_700_000_000_000]) await markBegin(directory, at)
    expect(await beginnings(directory)).toEqual([999, 1_700_000_000_000, 1_800_000_000_000])
  } finally {
    await rm(directory, { recursive: true })
  }
})
