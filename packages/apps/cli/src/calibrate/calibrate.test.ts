// Importing measurements through the command: entries are written, the next plan uses them and says so, and everything can be undone.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInCatalog, type JsonObject } from '@ironlaw/catalog'
import { planTraining } from '@ironlaw/planner'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogFor } from '../catalog/catalog-source.ts'
import { readTraining } from '../plan/train-source.ts'
import { calibrate, type CalibrateFlags } from './calibrate.ts'
import { saveChange } from './document.ts'
import { currentVersion } from './measured-file.ts'

let directory = ''
const before = process.env['IRONLAW_MEASURED']
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ironlaw-calibrate-'))
  process.env['IRONLAW_MEASURED'] = join(directory, 'measured')
})
afterEach(() => {
  rmSync(directory, { recursive: true })
  if (before === undefined) delete process.env['IRONLAW_MEASURED']
  else process.env['IRONLAW_MEASURED'] = before
})

const PLAIN = { nodes: '1', processes: '1', python: '/usr/bin/python3', storage: 'run-storage', on: 'h100-sxm' } satisfies CalibrateFlags
const TRAIN_FLAGS = { model: 'Llama-3.1-8B', gpus: '8', on: 'h100-sxm', tokens: '1T', sequence: '8192', batch: '64' }

function plan() {
  const catalog = catalogFor(undefined)
  const training = readTraining(catalog, undefined, TRAIN_FLAGS)
  const [best] = planTraining(catalog, training.machine, { ...training.wanted, keep: 1 }).plans
  if (!best) throw new Error('nothing fits')
  return { ...best, training }
}

function writeFile(name: string, text: string): string {
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}

const RANKS = Array.from(
  { length: 8 },
  (_, rank) => `#  Rank  ${rank} Group  0 Pid   410${rank} on     gpu-01 device  ${rank} [0000:0${rank}:00] NVIDIA H100 80GB HBM3`,
)
const ROWS = [1, 4, 16, 64, 256, 1024].map((size) => {
  const bytes = size * 2 ** 20
  const time = 40 + (bytes * 1.75) / 100e9 / 1e-6
  return `  ${bytes}   ${bytes / 4}   float   sum   -1   ${time.toFixed(2)}   10.0   17.5   0   ${time.toFixed(2)}   10.0   17.5   0`
})

test('a table of nccl-tests becomes the curve of that link', async () => {
  const answer = await calibrate({ ...PLAIN, import: writeFile('all_reduce_perf.txt', [...RANKS, ...ROWS].join('\n')) })
  expect(answer.text()).toContain('h100-sxm on gpu-01, nccl-tests')
  const { machine } = readTraining(catalogFor(undefined), undefined, TRAIN_FLAGS)
  const curve = machine.fabric.silicon.collectives['all-reduce']?.['8']
  expect(curve?.alpha_s).toBeCloseTo(40e-6, 7)
  expect((curve?.beta_bytes_per_s ?? 0) / 100e9).toBeCloseTo(1, 2)
})

const logOf = (elapsed_s: number): string =>
  Array.from(
    { length: 40 },
    (_, at) =>
      ` iteration ${at + 1}/ 500 | consumed samples: 64 | elapsed time per iteration (ms): ${(1000 * elapsed_s * (1 + 0.001 * (at % 3))).toFixed(1)} | throughput per GPU (TFLOP/s/GPU): 401.2 | global batch size: 64 |`,
  ).join('\n')

test('the log of a check shows memory bandwidth and how nodes differ, but not how products scale', async () => {
  const seconds = { 'gpu-01': [0.001, 0.001, 0.001], 'gpu-02': [0.0011, 0.0011, 0.0011], 'gpu-03': [0.0012, 0.0012, 0.0012] }
  const lines = [
    { measured: 'machine', device: 'H100', processors: 132, element_bytes: 2, backend: 'nccl', torch: '2.8' },
    { measured: 'product', m: 512, n: 4096, k: 4096, ranks: 8, seconds },
    { measured: 'copy', bytes: 2e9, ranks: 8, seconds },
    { measured: 'end', rows: 2 },
  ].map((line) => `ironlaw-measured ${JSON.stringify(line)}`)
  const answer = await calibrate({ ...PLAIN, import: writeFile('check.log', ['step 1', ...lines].join('\n')) })
  expect(answer.text()).toContain('h100-sxm on gpu-01, gpu-02, gpu-03, PyTorch 2.8, nccl')
  const measured = JSON.stringify(answer.json)
  expect(measured).toContain('nodeSpread')
  expect(measured).toContain('copy')
  expect(measured).not.toContain('products')
})

test('a log with its plan corrects the next plan, which says so; undo restores the first', async () => {
  const first = plan()
  const step_s = first.plan.prediction.step_s
  const file = writeFile('plan.json', JSON.stringify({ plans: [first.plan] }))
  const flags = { ...PLAIN, import: writeFile('train.log', logOf(1.2 * step_s)), plan: file }
  const answer = await calibrate(flags)
  expect(answer.text()).toMatch(/1 finished run compared: median error 16\.\d %/)
  const second = plan()
  expect(second.plan.prediction.step_s / step_s).toBeGreaterThan(1.15)
  expect(second.plan.prediction.step_s / step_s).toBeLessThan(1.25)
  expect(second.training.warnings).toEqual(['h100-sxm as measured on train.log, corrected by 1 finished run'])
  expect(second.plan.prediction.measured?.corrections['compute']).toBeGreaterThan(1.15)
  expect((await calibrate({ ...PLAIN, undo: true })).json).toEqual({ undone: 1, version: null })
  expect(plan().plan.id).toBe(first.plan.id)
})

test('a log without its plan records what was reached and corrects nothing', async () => {
  const first = plan()
  const answer = await calibrate({ ...PLAIN, import: writeFile('train.log', logOf(1)) })
  expect(answer.json).toMatchObject({
    catalog: { accelerators: { 'h100-sxm': { measured: { trained: { rate: { is: '401200000000000 FLOP/s' } } } } } },
  })
  expect(answer.notes).toEqual(['without --plan the prediction is not corrected: a log alone does not say what was trained'])
  expect(plan().plan.prediction.step_s).toBe(first.plan.prediction.step_s)
})

test('without an accelerator nothing can be measured', async () => {
  const { on: _, ...rest } = PLAIN
  await expect(calibrate(rest)).rejects.toThrow('--on: name the accelerator')
})

test.each<[string, () => Partial<CalibrateFlags>, string]>([
  ['an unknown accelerator', () => ({ on: 'h10' }), 'the catalog has no accelerator "h10"'],
  ['a file that is not there', () => ({ import: 'nowhere.log' }), 'cannot read nowhere.log'],
  ['a file of something else', () => ({ import: writeFile('x.txt', 'hello') }), 'no line of Megatron-LM'],
  ['more than the hardware has', () => ({ import: writeFile('x.log', logOf(1).replaceAll('401.2', '4012')) }), 'is more than h100-sxm has'],
  ['a count that has no name', () => ({ local: true, processes: '17' }), '--processes: 17 is not one of 1, 2'],
  ['nothing to undo', () => ({ undo: true }), 'nothing was measured yet'],
  ['a setting without a value', () => ({ local: true, environment: ['OMP'] }), '--environment: "OMP" is not NAME=VALUE'],
])('%s is refused', async (_, flags, message) => {
  await expect(calibrate({ ...PLAIN, ...flags() })).rejects.toThrow(message)
})

test('measuring an accelerator again drops the corrections of its old figures', () => {
  const measured = (corrections: JsonObject): JsonObject => ({ measured: { on: 'here', software: 'test', ...corrections } })
  const learned = {
    factor: { is: '1.2', from: 'runs 2026-11' },
    spread: { is: '0.1', from: 'runs 2026-11' },
    runs: { is: '2', from: 'runs 2026-11' },
  }
  const by = 'test'
  const entries = { accelerators: { 'h100-sxm': measured({ corrections: { 8: { compute: learned } } }) } }
  expect(saveChange(builtInCatalog, { by, entries }).document.catalog).toEqual(entries)
  const again = { accelerators: { 'h100-sxm': measured({ nodeSpread: { is: '0.01', from: 'calibrate 2026-11' } }) } }
  expect(saveChange(builtInCatalog, { by, entries: again, anew: 'h100-sxm' }).document.catalog).toEqual(again)
})

test('nothing is stored that could not be read back', () => {
  const entries = { accelerators: { 'h100-sxm': { measured: { on: 'here' } } } }
  expect(() => saveChange(builtInCatalog, { by: 'test', entries })).toThrow('accelerators.h100-sxm.measured.software')
  expect(currentVersion()).toBeUndefined()
})
