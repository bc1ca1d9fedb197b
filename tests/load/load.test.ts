// The load test itself, small: every part of it works, nothing fails, and it says what it says at full size.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { SERVER_ABSENT } from '../../packages/effects/store/test/private-server.ts'

const SMALL = ['--live', '40', '--history', '400', '--every', '2', '--seconds', '6', '--warm', '2']

test.skipIf(SERVER_ABSENT !== undefined)('a small load', { timeout: 300_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'main.ts'), ...SMALL])
  const rows = stdout.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  const times = (what: string): number => Number(rows.find((cells) => cells[1] === what)?.[2])
  expect(times('look at a run, from due to handled')).toBeGreaterThan(10)
  expect(times('get a run')).toBeGreaterThan(10)
  expect(times('list a page of 100')).toBeGreaterThan(5)
  expect(times('ledger of the fleet, over all history')).toBeGreaterThan(0)
  expect(times('report')).toBeGreaterThan(40)
  expect(stdout).not.toMatch(/\d failed/)
  expect(rows.find((cells) => cells[1] === 'runs')?.[2]).toBe('1.0')
})
