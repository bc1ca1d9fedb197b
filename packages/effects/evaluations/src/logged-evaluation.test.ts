import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspectEvaluation } from '@ironlaw/contracts/harness-logs'
import { compareResults } from '@ironlaw/policies/evaluation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkComparable } from './comparable.ts'
import { readEvaluation } from './evaluation-files.ts'
import { writeLoggedEvaluation } from './logged-evaluation.ts'

/** As Inspect wrote it. */
const LOG = join(import.meta.dirname, '../../../../tests/fixtures/inspect-log.json')

let directory = ''
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'ironlaw-logged-'))))
afterEach(() => rmSync(directory, { recursive: true }))

/** `wrong` samples more than in the log. */
function logged(wrong: number, run: object = {}) {
  const log = JSON.parse(readFileSync(LOG, 'utf8'))
  for (const sample of log.samples.slice(log.samples.length - wrong)) sample.scores.match.value = 'I'
  return inspectEvaluation({ ...log, eval: { ...log.eval, ...run } }, 'log.json')
}

test('a log is an evaluation that is read and compared like any other', async () => {
  await writeLoggedEvaluation(join(directory, 'before'), logged(0))
  await writeLoggedEvaluation(join(directory, 'after'), logged(3, { model: 'openai-api/local/other' }))
  const [before, after] = [await readEvaluation(join(directory, 'before')), await readEvaluation(join(directory, 'after'))]
  expect(before.evaluation).toMatchObject({ name: 'sums', model: { id: 'chat' }, score: { value: 10 / 12 }, tokens_in: 60, tokens_out: 12 })
  checkComparable(before.evaluation, after.evaluation, { across: [] })
  const rule = { margin: 0.05, risk: { falseBlock: 0.05, miss: 0.05 }, looks: 1, slices: [] }
  expect(compareResults(before.results, after.results, rule).parts).toMatchObject([{ items: 12, difference: -3 / 12 }])
})

test('other settings are another instrument, and nothing is written over', async () => {
  const before = await writeLoggedEvaluation(join(directory, 'before'), logged(0))
  const after = await writeLoggedEvaluation(join(directory, 'after'), logged(0, { task_args: { epochs: 1, shots: 5 } }))
  expect(() => checkComparable(before, after, { across: [] })).toThrow('different instruments: harness.settings')
  await expect(writeLoggedEvaluation(join(directory, 'before'), logged(0))).rejects.toThrow('holds an evaluation already')
})

test('a log with two results of one item is refused, and nothing is written', async () => {
  const { results, ...rest } = logged(0)
  const twice = { ...rest, results: [...results, ...results.slice(0, 1)] }
  await expect(writeLoggedEvaluation(join(directory, 'twice'), twice)).rejects.toThrow(/results\.jsonl:13: /)
  expect(existsSync(join(directory, 'twice'))).toBe(false)
})
