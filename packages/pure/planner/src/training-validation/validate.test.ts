import { builtInCatalog, withOverlay } from '@ironlaw/catalog'
import { describe, expect, test } from 'vitest'
import { devicesOf } from '../training/strategy.ts'
import { caseOf } from './case.ts'
import { publishedRows } from './row.ts'
import { summaryOf } from './score.ts'
import { type AbsentSet, type SetReport, validateTraining } from './validate.ts'
import { vtrainCases } from './vtrain.ts'

const HEAD =
  '# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length,tensor parallelism,data parallelism,pipeline parallelism,iteration time (ms)'
/** In vTrain's format, byte order mark and line ends included; the times are made up. */
const SINGLE = `\uFEFF${[HEAD, '8,32,4,1024,16,24,1024,2,2,2,220', '2,16,8,1024,16,24,1024,1,1,2,372', '8,8,1,2048,16,12,1024,8,1,1,480'].join('\r\n')}\r\n`
const MULTI = `\uFEFFParameters (billion),${HEAD}\r\n3.6,64,512,8,3072,32,30,2048,1,64,1,3566.5\r\n`

const report = validateTraining(builtInCatalog, { vtrainSingle: SINGLE, vtrainMulti: MULTI })
const { published, otherSilicon, simumax, selene } = report.sets
const presentSet = (set: SetReport | AbsentSet): SetReport => {
  if ('absent' in set) throw new Error(set.absent)
  return set
}

const timed = publishedRows.flatMap((row) =>
  row.usable && row.measured.outcome === undefined ? [{ row, asked: caseOf(row, row.measured) }] : [],
)

describe('published runs as cases', () => {
  test('every usable row with a time makes one', () => expect(timed).toHaveLength(281))

  test.each(timed.map((one) => [one.row.id, one] as const))('%s', (_, { row, asked: { strategy, job, measured } }) => {
    expect(devicesOf(strategy)).toBe(row.gpus)
    expect(job.globalBatch % (strategy.data * strategy.microbatch)).toBe(0)
    expect((strategy.data * strategy.context * strategy.tensor) % strategy.expert).toBe(0)
    const tokensPerSecond = (job.globalBatch * job.sequence) / (measured.step_s * row.gpus)
    if (row.measured.outcome === undefined) expect(Math.abs(tokensPerSecond / row.measured.tokens_per_s_per_gpu - 1)).toBeLessThan(0.015)
  })

  test('every row is scored, out of scope, unusable or ran out of memory', () => {
    const scoredRows = published.n + otherSilicon.n + simumax.n + selene.n
    const left = [...report.outOfScope, ...report.unusable].reduce((sum, { n }) => sum + n, 0)
    expect(scoredRows + left + report.fits.outOfMemory.length).toBe(publishedRows.length)
  })
})

describe('the split', () => {
  test.each([
    ['published', published, 45, 168],
    ['other silicon, on which nothing is fitted', otherSilicon, undefined, 15],
    ['simumax', simumax, 8, 35],
    ['selene', selene, 4, 4],
    ['vtrain single, every other row', presentSet(report.sets.vtrainSingle), 2, 1],
    ['vtrain multi, none', presentSet(report.sets.vtrainMulti), undefined, 1],
  ])('%s', (_, { calibration, heldOut }, fitted, held) => {
    expect(calibration?.n).toBe(fitted)
    expect(heldOut?.n).toBe(held)
  })

  test('no row is on both sides', () => {
    const rows = [...published.rows, ...otherSilicon.rows, ...simumax.rows, ...selene.rows]
    const fitted = new Set(rows.filter(({ split }) => split === 'calibration').map(({ id }) => id))
    expect(rows.filter(({ split, id }) => split === 'heldOut' && fitted.has(id))).toEqual([])
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  })

  test('breakdowns and worst rows are of held-out rows only', () => {
    for (const { breakdowns, heldOut, worst } of [published, simumax, selene]) {
      for (const parts of Object.values(breakdowns)) expect(parts.reduce((sum, { n }) => sum + n, 0)).toBe(heldOut?.n)
      expect(worst.every(({ split }) => split === 'heldOut')).toBe(true)
    }
  })
})

/** The goals, as a predicate over held-out rows: what a change of a coefficient must not break. */
function withinGoals({ sets }: ReturnType<typeof validateTraining>): Readonly<Record<string, boolean>> {
  const below = (error: number | undefined, most: number): boolean => error !== undefined && error <= most
  return {
    seleneTime: below(sets.selene.heldOut?.mean, 0.04),
    simumaxTime: below(sets.simumax.heldOut?.mean, 0.05),
    simumaxMemory: below(sets.simumax.memory?.allocated?.mean, 0.02),
  }
}

describe('the goals', () => {
  test('are reached', () => expect(withinGoals(report)).toEqual({ seleneTime: true, simumaxTime: true, simumaxMemory: true }))

  test('are missed in time by matrix units at 0.8 of their peak', () => {
    const slower = (is: string) => ({ peaks: { bf16: { dense: { is, from: 'bent' } } } })
    const bent = withOverlay(builtInCatalog, {
      file: 'bent.yaml',
      changes: { accelerators: { 'a100-80gb-sxm': slower('249.6 TFLOP/s'), b200: slower('1800 TFLOP/s') } },
    })
    expect(withinGoals(validateTraining(bent))).toEqual({ seleneTime: false, simumaxTime: false, simumaxMemory: true })
  })
})

test('every scored run is asked whether it fits', () => {
  const { ran, refused, outOfMemory } = report.fits
  expect(ran).toBe(published.n + otherSilicon.n + simumax.n + selene.n)
  // What the memory account reaches today, no goal: it may get better and not worse.
  const others = new Set(otherSilicon.rows.map(({ id }) => id))
  expect(refused.filter(({ id }) => !others.has(id)).length).toBeLessThanOrEqual(9)
  expect(refused.filter(({ id }) => others.has(id)).length).toBeLessThanOrEqual(11)
  expect(refused.map(({ id }) => id)).not.toContain('llama3-405b-2')
  expect(refused.map(({ id }) => id)).not.toContain('llama3-405b-3')
  expect(outOfMemory.filter((fit) => fit.refused).map(({ id }) => id)).toContain('hag23-132179')
})

describe('vTrain', () => {
  test('is absent with a reason unless its text is given', () =>
    expect(validateTraining(builtInCatalog).sets.vtrainMulti).toMatchObject({ absent: expect.stringContaining('not given') as string }))

  test.each([
    ['a missing column', SINGLE.replace('micro batch', 'batch'), '"micro batch"'],
    ['a cell that is no number', SINGLE.replace('372', 'n/a'), 'line 3'],
  ])('%s is named', (_, text, named) => expect(() => vtrainCases('single', text)).toThrow(named))
})

test('a summary takes sizes for the median and signs for the bias', () => {
  expect(summaryOf([])).toBeUndefined()
  const { n, median, mean, p90, bias } = summaryOf([-0.1, 0.2, -0.3]) ?? {}
  expect([n, median, mean, p90, bias]).toEqual([3, 0.2, expect.closeTo(0.2), expect.closeTo(0.28), expect.closeTo(-0.2 / 3)])
})

test('half as long and twice as long are the same error as a logarithm', () => {
  expect(summaryOf([-0.5])?.log.median).toBeCloseTo(Math.log(2))
  expect(summaryOf([1])?.log.median).toBeCloseTo(Math.log(2))
})
