// The loop of data specs: a dataset is built, calibration learns from its figures, and the next plan is nearer. The build is real; the times in its figures are
// planted, so that nothing depends on how busy the machine of the test is.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATA_PLAN, DATA_RUN_FIGURES, type DataPlan, type DataRunFigures } from '@ironlaw/contracts/data-plan'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildDataset } from '../data/build.ts'
import { planDatasetAnswer } from '../data/plan.ts'
import { whatIfDataAnswer } from '../data/whatif.ts'
import { calibrate } from './calibrate.ts'
import { undoVersion } from './measured-file.ts'

const before = process.env['IRONLAW_MEASURED']
const folder = mkdtempSync(join(tmpdir(), 'ironlaw-data-rates-'))
const at = (file: string): string => join(folder, file)
const SPEC = at('data.yaml')
let built: DataRunFigures

beforeAll(async () => {
  process.env['IRONLAW_MEASURED'] = at('measured')
  mkdirSync(at('raw'))
  const line = (number: number): string =>
    JSON.stringify({ text: `The document with number ${number % 90} has been written for this test. `.repeat(9) })
  writeFileSync(at('raw/part.jsonl'), Array.from({ length: 100 }, (_, number) => `${line(number)}\n`).join(''))
  const steps = [{ redact: {} }, { deduplicate: { similarity: 0.8 } }]
  writeFileSync(
    SPEC,
    JSON.stringify({ apiVersion: 'ironlaw/v1', kind: 'Data', name: 'corpus', workers: 1, from: [{ name: 'web', files: 'raw/' }], steps }),
  )
  const { json } = await buildDataset(SPEC, { to: at('corpus'), work: at('work') })
  built = DATA_RUN_FIGURES.parse((json as { measured: unknown }).measured)
})
afterAll(() => {
  rmSync(folder, { recursive: true })
  if (before === undefined) delete process.env['IRONLAW_MEASURED']
  else process.env['IRONLAW_MEASURED'] = before
})

const planned = async (): Promise<DataPlan> => DATA_PLAN.parse((await planDatasetAnswer(SPEC, { share: '1' })).json)

/** The figures of the build as a machine would have measured them that needs so many seconds a byte for everything. */
function plant(name: string, s_per_byte: number, over: Partial<DataRunFigures> = {}): DataRunFigures {
  const work = built.work.map((row) => ({ ...row, time_s: row.bytes * s_per_byte }))
  const causes_s = Object.fromEntries(work.map(({ step, time_s }) => [step, time_s]))
  const figures = { ...built, work, causes_s, ...over }
  writeFileSync(at(name), JSON.stringify({ to: at('corpus'), measured: figures }))
  return figures
}

const FLAGS = { nodes: '1', processes: '1', python: 'python3', storage: 'run-storage' }
const learn = (from: readonly string[], flags: object = {}) => calibrate({ ...FLAGS, from: from.map(at), ...flags })

const timeOf = ({ work }: DataRunFigures): number => work.reduce((sum, { time_s }) => sum + time_s, 0)

test('after calibration the plan of a build that was held out is nearer, and says where its rates came from', async () => {
  const first = await planned()
  expect(first.rates.map(({ from }) => from)).not.toContain('calibration')
  writeFileSync(at('plan.json'), JSON.stringify(first))

  for (const [name, rate] of [
    ['a.json', 0.9e-3],
    ['b.json', 1e-3],
    ['c.json', 1.1e-3],
  ] as const)
    plant(name, rate)
  const heldOut = plant('held-out.json', 1.05e-3)
  const answer = await learn(['a.json', 'b.json', 'c.json'], { plan: at('plan.json') })

  const second = await planned()
  const off = ({ prediction }: DataPlan): number => Math.abs(prediction.duration_s.value / timeOf(heldOut) - 1)
  expect(off(first)).toBeGreaterThan(0.5)
  expect(off(second)).toBeLessThan(0.2)
  // What a run did and what the probe saw is known by the same names.
  expect(second.rates.filter(({ from }) => from !== 'calibration').map(({ does }) => does)).toEqual(['join'])
  expect(second.rates.find(({ cause }) => cause === 'redact')).toMatchObject({
    does: expect.stringMatching(/^redact [0-9a-f]{8}$/),
    runs: 3,
  })
  const { low, high } = second.prediction.duration_s
  expect(timeOf(heldOut)).toBeGreaterThan(low)
  expect(timeOf(heldOut)).toBeLessThan(high)

  expect(answer.text()).toContain(`${built.machine}, 3 data runs`)
  expect(answer.text()).toMatch(/each run predicted from the others: median error 1\d\.\d % of \d+ figures, 100\.0 % inside/)
  expect(answer.text()).toMatch(/that plans had: \d+\.\d % off as planned, 1\d\.\d % from the other runs/)
  const text = (await planDatasetAnswer(SPEC, { share: '1', explain: true })).text()
  expect(text).toMatch(/^rates +read, redact, .* by the calibration of 3 runs/m)
  expect(text).toMatch(/redact: .* at 1.* kB\/s a thread, calibration of 3 runs/)
  const { json } = await whatIfDataAnswer(SPEC, { set: 'steps.1.deduplicate.similarity=0.8,0.9' })
  const [point] = (json as { points: readonly Pick<DataPlan, 'prediction'>[] }).points
  expect(off({ ...second, ...point })).toBeLessThan(0.2)

  undoVersion()
  expect((await planned()).rates.map(({ from }) => from)).not.toContain('calibration')
})

test('a build counts once, and one on several kinds of machine not at all', async () => {
  plant('once.json', 1e-3)
  writeFileSync(at('again.json'), readFileSync(at('once.json')))
  const { machine: _, ...mixed } = plant('mixed.json', 1e-3)
  writeFileSync(at('mixed.json'), JSON.stringify({ measured: mixed }))
  const { notes } = await learn(['once.json', 'again.json', 'mixed.json'])
  expect(notes).toEqual([
    `${at('again.json')}: counted already`,
    `${at('mixed.json')}: its workers ran on several kinds of machine, so its rates are of none of them`,
  ])
  await expect(learn(['once.json'])).rejects.toThrow(`nothing to learn from: ${at('once.json')}: counted already`)
  undoVersion()
})

test('time that recovery took is not learned', async () => {
  plant('clean.json', 1e-3)
  await learn(['clean.json'])
  const clean = await planned()
  undoVersion()
  const { causes_s } = plant('killed.json', 1e-3)
  plant('killed.json', 1e-3, { duration_s: 1e6, causes_s: { ...causes_s, recovery: 999_000, wait: 500 } })
  await learn(['killed.json'])
  const rates = ({ rates: found }: DataPlan) => found.map(({ does, bytes_per_s }) => [does, bytes_per_s])
  expect(rates(await planned())).toEqual(rates(clean))
  undoVersion()
})

test('a file that holds no build is refused with what would make one', async () => {
  writeFileSync(at('other.json'), '{}')
  await expect(learn(['other.json'])).rejects.toThrow('it has no figures of a dataset that was built')
})
