import { builtInCatalog } from '@ironlaw/catalog'
import { describe, expect, test } from 'vitest'
import { siliconOf } from '../machine/silicon.ts'
import { stepTime } from '../training/time/step-time.ts'
import { constantUtilization } from './constant-utilization.ts'
import { fitCoefficients, refittedMachine } from './fit.ts'
import { leftOutFits, type LeftOutReport, leftOutReport } from './left-out.ts'
import type { Case } from './case.ts'
import { machineOf } from './score.ts'
import { publishedCases } from './validate.ts'

const calibration = publishedCases.filter(({ split }) => split === 'calibration')
const runs = calibration.map((asked) => ({ ...asked, machine: machineOf(builtInCatalog, asked) }))

describe('the fit', () => {
  test('finds the rate that made the times', () => {
    const planted = new Map([['sustained bf16', 0.75]])
    const made = runs
      .filter(({ source }) => source === 'narayanan-2021' || source === 'mpt')
      .map((run) => ({
        ...run,
        measured: { step_s: stepTime({ machine: refittedMachine(run.machine, planted), job: run.job }, run.strategy).total },
      }))
    const found = fitCoefficients(made)
    for (const chip of ['a100-80gb-sxm', 'h100-sxm']) expect(Math.abs((found.get(`${chip} bf16`) ?? 0) / 0.75 - 1)).toBeLessThan(0.05)
  })

  test('has no value of its own for software without a row', () => {
    const found = fitCoefficients(runs.filter(({ source }) => source !== 'torchtitan'))
    expect(found.has('fsdp-compiled vectorPasses')).toBe(false)
    const torchtitan = runs.find(({ choice }) => choice.runtime.name === 'fsdp-compiled')
    if (!torchtitan) throw new Error('torchtitan has no calibration row')
    const { runtime } = refittedMachine(torchtitan.machine, found, 'torchtitan')
    expect(runtime.vectorPasses).toBe(found.get('vectorPasses'))
    expect(runtime.borrowed).toBe(true)
  })
})

const reportOf = (cases: readonly Case[]): LeftOutReport => leftOutReport(builtInCatalog, cases, leftOutFits(builtInCatalog, cases))

describe('a source that is left out', () => {
  const few = publishedCases.filter(({ source }) => ['hagemann', 'narayanan-2021', 'mcore', 'nanotron'].includes(source))
  const { rows, total } = reportOf(few)

  test('has all of its rows scored, calibration rows too', () => {
    expect(rows.map(({ id }) => id).toSorted()).toEqual(few.map(({ id }) => id).toSorted())
    expect(total.time.n).toBe(few.length)
  })

  test('does not tell its own coefficients: other times of its own change no prediction', () => {
    const slower = few.map((asked) => (asked.source === 'mcore' ? { ...asked, measured: { step_s: 3 * asked.measured.step_s } } : asked))
    const predicted = (from: readonly { source: string; predicted_s: number; constantUtilization_s: number }[]) =>
      from.filter(({ source }) => source === 'mcore').map((row) => [row.predicted_s, row.constantUtilization_s])
    expect(predicted(reportOf(slower).rows)).toEqual(predicted(rows))
  })
})

describe('Megatron-Bridge left out', () => {
  const others = runs.filter(({ source, machine }) => source !== 'bridge' && machine.runtime.expertOverlap > 0).slice(0, 6)

  test('leaves the share of the exchange with experts that hides to the others, who do not know it', () => {
    const run = runs.find(({ source, machine }) => source === 'bridge' && machine.runtime.name === 'megatron-core')
    if (!run) throw new Error('no run of Megatron-Bridge on Megatron-Core')
    const { runtime } = refittedMachine(run.machine, fitCoefficients(others, 'bridge'), 'bridge')
    expect(runtime.expertOverlap).not.toBe(run.machine.runtime.expertOverlap)
    expect(runtime.expertOverlap).toBe(0.5)
  })

  test('is left out of the fit as well: times that it alone tells move no coefficient', () => {
    const slow = others.map((run) => ({
      ...run,
      machine: {
        ...run.machine,
        runtime: { ...run.machine.runtime, launchExpertForward_s: 1, launchExpertBackward_s: 1, expertCast_s: 1 },
      },
    }))
    expect(fitCoefficients(slow, 'bridge')).toEqual(fitCoefficients(others, 'bridge'))
  })
})

test('what an accelerator reaches of its peak is kept beside the curve that it borrows', () => {
  const run = publishedCases.find(({ choice }) => choice.accelerator === 'mi355x')
  if (!run) throw new Error('no run on an MI355X')
  const machine = machineOf(builtInCatalog, run)
  const { bf16, fp8 } = siliconOf('a100-80gb-sxm').sustained
  const same = refittedMachine(machine, new Map([['a100-80gb-sxm bf16', bf16], ['a100-80gb-sxm fp8', fp8]])) // prettier-ignore
  expect(same.engine.peak / machine.engine.peak).toBeCloseTo(1, 9)
  expect(same.engine.attentionPeak / machine.engine.attentionPeak).toBeCloseTo(1, 9)
})

test('without Megatron-Bridge nothing is known of the launches and casts of experts', () => {
  const run = runs.find(({ source, machine }) => source === 'bridge' && machine.runtime.launchExpertForward_s > 0)
  if (!run) throw new Error('no run of Megatron-Bridge launches experts')
  const { runtime } = refittedMachine(run.machine, new Map(), 'bridge')
  expect([runtime.launchExpertForward_s, runtime.launchExpertBackward_s, runtime.expertCast_s]).toEqual([0, 0, 0])
})

test('constant utilization takes the most alike runs', () => {
  const [one, ...others] = calibration.filter(({ source }) => source === 'narayanan-2021')
  if (!one) throw new Error('narayanan-2021 has no calibration row')
  const predict = constantUtilization(builtInCatalog, [{ ...one, measured: { step_s: 2 * one.measured.step_s } }])
  expect(predict(one)).toBeCloseTo(2 * one.measured.step_s)
  // Runs in FP8 do not count while there are some in 16 bits.
  const low = calibration.filter(({ job }) => job.policy.compute === 'fp8')
  expect(constantUtilization(builtInCatalog, [...low, ...others])(one)).toBe(constantUtilization(builtInCatalog, others)(one))
})
