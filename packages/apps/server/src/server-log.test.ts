import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { serverLog } from './server-log.ts'

const directory = mkdtempSync(join(tmpdir(), 'server-log-'))
afterAll(() => rmSync(directory, { recursive: true }))

function newLog(name: string, over: { readonly verbose?: boolean; readonly limit_bytes?: number } = {}) {
  const said: string[] = []
  const file = join(directory, name)
  return { file, said, log: serverLog({ file, verbose: false, terminal: { write: (text: string) => said.push(text) }, ...over }) }
}

const REQUEST = '{"level":30,"msg":"incoming request"}\n'
const WARNING = '{"level":40,"msg":"storage does not answer"}\n'
const FAULT = '{"level":50,"err":{"message":"broken"},"msg":"IL_UNEXPECTED"}\n'

test('the terminal shows warnings and errors, the file has everything', () => {
  const { file, said, log } = newLog('a/log')
  for (const line of [REQUEST, WARNING, FAULT]) log.write(line)
  expect(said).toEqual(['warning: storage does not answer\n', 'warning: IL_UNEXPECTED: broken\n'])
  expect(readFileSync(file, 'utf8')).toBe(REQUEST + WARNING + FAULT)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('--verbose shows every line', () => {
  const { said, log } = newLog('b', { verbose: true })
  log.write(REQUEST)
  expect(said).toEqual([REQUEST])
})

test('the file keeps its size, also over restarts', () => {
  for (let start = 0; start < 3; start += 1) {
    const { log } = newLog('c', { limit_bytes: 100 })
    for (let line = 0; line < 5; line += 1) log.write(REQUEST)
  }
  expect(statSync(join(directory, 'c')).size).toBeLessThanOrEqual(100)
  expect(statSync(join(directory, 'c.1')).size).toBeLessThanOrEqual(100)
})

test('a disk that is full ends nothing, and is said once', () => {
  const said: string[] = []
  const log = serverLog({ file: '/dev/full', verbose: false, terminal: { write: (text: string) => said.push(text) } })
  for (let line = 0; line < 3; line += 1) log.write(REQUEST)
  expect(said).toEqual([expect.stringContaining('the log /dev/full cannot be written: Error: ENOSPC')])
})
