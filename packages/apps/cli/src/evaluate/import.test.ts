import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { importAnswer } from './import.ts'

const LOG = join(import.meta.dirname, '../../../../../tests/fixtures/inspect-log.json')

let folder = ''
let before = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ironlaw-import-'))
  before = process.cwd()
  process.chdir(folder)
})
afterEach(() => {
  process.chdir(before)
  rmSync(folder, { recursive: true })
})

test.each([
  ['inspect_evals/gsm8k', 'inspect_evals-gsm8k'],
  ['../../outside', 'outside'],
  ['/etc/outside', 'etc-outside'],
  ['..', 'imported'],
])('a task called %s is written to %s, in the working directory', async (task, directory) => {
  const log = JSON.parse(readFileSync(LOG, 'utf8'))
  writeFileSync('log.json', JSON.stringify({ ...log, eval: { ...log.eval, task } }))
  expect((await importAnswer('log.json', { from: 'inspect' })).json).toMatchObject({ to: directory, evaluation: { name: task } })
  expect(readdirSync('.').toSorted()).toEqual([directory, 'log.json'].toSorted())
  expect(existsSync(join(directory, 'evaluation.json'))).toBe(true)
})

test.each([
  ['log.eval', { from: 'inspect' }, 'binary log of Inspect'],
  ['samples.jsonl', { from: 'lm-eval-results' }, 'are called samples_TASK_DATE.jsonl'],
  ['log.json', { from: 'other' }, '--from other: expected one of humaneval, mbpp, lm-eval, inspect, lm-eval-results'],
  ['items.jsonl', { from: 'mbpp', metric: 'acc' }, '--metric: items have none'],
])('%s with %j is refused', async (file, flags, problem) => {
  writeFileSync(file, '{}')
  await expect(importAnswer(file, flags)).rejects.toThrow(problem)
})
