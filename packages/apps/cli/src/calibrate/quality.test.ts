// Two evaluations become a figure of the catalog: the drop of a precision below the reference, with its interval.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entry } from '@ironlaw/catalog'
import { EVALUATION } from '@ironlaw/contracts/evaluation'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { catalogFor } from '../catalog/catalog-source.ts'
import { calibrate } from './calibrate.ts'
import { currentVersion } from './measured-file.ts'
import { calibrateQuality } from './quality.ts'

const FIXTURES = join(import.meta.dirname, '../../../../../tests/fixtures/evaluations')
const [BEFORE, AFTER, WARMER] = ['before', 'after', 'warmer'].map((name) => join(FIXTURES, name)) as [string, string, string]
const PLAIN = { cache: 'bf16' }

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ironlaw-quality-'))
  vi.stubEnv('IRONLAW_MEASURED', join(directory, 'measured'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(directory, { recursive: true })
})

/** An evaluation by an engine that names its quantization. */
function quantized(of: string, quantization: string): string {
  const copy = join(directory, quantization)
  cpSync(of, copy, { recursive: true })
  const file = join(copy, 'evaluation.json')
  const evaluation = EVALUATION.parse(JSON.parse(readFileSync(file, 'utf8')))
  writeFileSync(file, JSON.stringify({ ...evaluation, instrument: { ...evaluation.instrument, quantization } }))
  return copy
}

const qualityOf = (id: string) => entry(catalogFor(undefined), 'quality', id).facts

test('the drop is that of the pairs, by the interval of comparisons', async () => {
  const answer = await calibrateQuality(BEFORE, [AFTER], { ...PLAIN, precision: ['int4'] })
  expect(answer.text()).toContain('0.40  -1.34 to 2.27')
  expect(answer.text()).toContain('sums: 250 items (201749eafaac), task answer by exact_match, vllm 0.11.0')
  const { model, precision, cache, reference, suite, items, differing, drop } = qualityOf('chat-int4-bf16-sums')
  expect({ model, precision, cache, reference, suite }).toEqual({
    model: 'chat',
    precision: 'int4',
    cache: 'bf16',
    reference: 'bf16',
    suite: 'sums',
  })
  // Three sums lost and two won, of 250: Tango's interval for 90 %.
  expect([items, differing, drop.value, drop.low, drop.high].map(({ value }) => value)).toEqual([250, 0.02, 0.004, -0.0133822, 0.0226667])
  expect(drop.high.by).toMatchObject({ kind: 'source', ref: expect.stringContaining('vllm 0.11.0') })
})

test('engines that name a precision need no flag, and candidates compared at once share the risk', async () => {
  const int4 = quantized(AFTER, 'INT4')
  await calibrateQuality(BEFORE, [int4], PLAIN)
  const alone = qualityOf('chat-int4-bf16-sums').drop
  await calibrateQuality(BEFORE, [int4, quantized(AFTER, 'fp8')], PLAIN)
  const { drop, candidates } = qualityOf('chat-int4-bf16-sums')
  expect(candidates.value).toBe(2)
  expect(drop.high.value).toBeGreaterThan(alone.high.value)
  expect(drop.low.value).toBeLessThan(alone.low.value)
  expect(qualityOf('chat-fp8-bf16-sums').drop.value.value).toBe(0.004)
})

test('models of the catalog go by its name for them, keys and values are part of the figure', async () => {
  await calibrateQuality(BEFORE, [AFTER], { model: 'Llama-3.1-8B', precision: ['bf16'], cache: 'fp8' })
  expect(qualityOf('meta-llama-llama-3-1-8b-bf16-fp8-sums')).toMatchObject({ model: 'meta-llama/Llama-3.1-8B', cache: 'fp8' })
})

test('the figure is shown with the calibration in force, and undone with it', async () => {
  await calibrateQuality(BEFORE, [AFTER], { ...PLAIN, precision: ['int4'] })
  const flags = { nodes: '1', processes: '1', python: '', storage: '' }
  expect((await calibrate({ ...flags, show: true })).text()).toContain('chat-int4-bf16-sums')
  await calibrate({ ...flags, undo: true })
  expect(currentVersion()).toBeUndefined()
})

test.each([
  ['of an unnamed precision', [AFTER], PLAIN, 'its engine says nothing of a quantization'],
  ['of an unknown precision', [AFTER], { ...PLAIN, precision: ['awq'] }, '--precision awq: expected one of bf16, fp8'],
  ['by another instrument', [WARMER], { ...PLAIN, precision: ['int4'] }, 'sampling.temperature (0, then 0.7)'],
  ['of the reference', [AFTER], { ...PLAIN, precision: ['bf16'] }, 'bf16 is the reference itself'],
  ['of one precision twice', [AFTER, AFTER], { ...PLAIN, precision: ['int4', 'int4'] }, 'two candidates are int4'],
  ['with a precision too few', [AFTER, AFTER], { ...PLAIN, precision: ['int4'] }, '--precision: 1 for 2 candidates'],
  ['of an unknown cache', [AFTER], { cache: 'int2', precision: ['int4'] }, '--cache int2: expected one of bf16, fp8, int8'],
  ['of a path', [AFTER], { ...PLAIN, model: './config.json', precision: ['int4'] }, 'a path does not name a model everywhere'],
] as const)('a candidate %s is refused, and nothing is written', async (_, candidates, flags, problem) => {
  await expect(calibrateQuality(BEFORE, candidates, flags)).rejects.toThrow(problem)
  expect(currentVersion()).toBeUndefined()
})
