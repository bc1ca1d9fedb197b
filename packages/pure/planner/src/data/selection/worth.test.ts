import { fc, test as property } from '@fast-check/vitest'
import { HOUR } from '@ironlaw/units'
import { expect, test } from 'vitest'
import { type SelectionCase, selectionWorth } from './worth.ts'

const MACHINE = { devices: 8, peak_flops: 1e15, efficiency: 0.4 }
const CASE: SelectionCase = {
  params: 7e9,
  tokens: 200e9,
  keep: 0.3,
  epochs: 1,
  proxy: { params: 125e6, epochs: 0, scorings: 1 },
  machine: MACHINE,
}

test('a small proxy pays: two operations a parameter to score the pool, six to train on what is kept', () => {
  const { verdict, proxy, keptTokens } = selectionWorth(CASE)
  expect(verdict.passes).toBe(true)
  expect(proxy.score_s).toBeCloseTo((2 * 125e6 * 200e9) / (8 * 1e15 * 0.4), 6)
  expect(verdict.figures.train_s).toBeCloseTo((6 * 7e9 * 60e9) / (8 * 1e15 * 0.4), 3)
  expect(verdict.figures.overhead).toBeCloseTo((2 * 125e6) / (6 * 7e9 * 0.3), 9)
  expect(keptTokens).toBe(60e9)
})

test('W121: scoring with the model itself takes a tenth of 100 epochs over a tenth of the pool, less than the 10 ms of the text as a forward pass costs a third', () => {
  const own = selectionWorth({ ...CASE, keep: 0.1, epochs: 100, proxy: { params: CASE.params, epochs: 0, scorings: 3 } })
  expect(own.verdict.figures.overhead).toBeCloseTo(0.1, 9)
  expect(own.verdict.passes).toBe(true)
  expect(own.rescoring).toEqual({ most: 3, everyEpochs: 100 / 3 })
})

test('a proxy that is trained for it is counted, and what a refusal asks for passes', () => {
  const dear = { ...CASE, proxy: { params: 1e9, epochs: 1, scorings: 1 } }
  const { verdict, proxy } = selectionWorth(dear)
  expect(verdict).toMatchObject({ passes: false, broken: ['overhead'] })
  expect(proxy.prepare_s).toBeCloseTo(3 * proxy.score_s, 6)
  expect(verdict.passes || verdict.next[0]).toBe('use a proxy of at most 157M parameters instead of 1B')
  expect(selectionWorth({ ...dear, proxy: { ...dear.proxy, params: 157e6 } }).verdict.passes).toBe(true)
  expect(selectionWorth({ ...dear, proxy: { ...dear.proxy, params: 158e6 } }).verdict.passes).toBe(false)
})

property.prop(
  [
    fc.double({ min: 0.01, max: 0.95, noNaN: true }),
    fc.integer({ min: 1, max: 20 }),
    fc.integer({ min: 1, max: 20 }),
    fc.double({ min: 1e6, max: 1e11, noNaN: true }),
  ],
  { numRuns: 60 },
)('the largest proxy and the number of scorings are those at which the verdict turns', (keep, epochs, scorings, params) => {
  const judged = (proxy: Partial<SelectionCase['proxy']>) =>
    selectionWorth({ ...CASE, keep, epochs, proxy: { params, epochs: 0, scorings, ...proxy } })
  const { proxy, rescoring } = judged({})
  expect(judged({ params: proxy.mostParams }).verdict.passes).toBe(true)
  expect(judged({ params: proxy.mostParams * 1.011 }).verdict.passes).toBe(false)
  if (rescoring.most >= 1) expect(judged({ scorings: rescoring.most }).verdict.passes).toBe(true)
  expect(judged({ scorings: rescoring.most + 1 }).verdict.passes).toBe(false)
})

test('for the time of the whole pool the kept text is gone through several times, and must make up for what repetition loses', () => {
  const { sameTime, verdict } = selectionWorth(CASE)
  expect(sameTime?.epochs).toBeCloseTo((verdict.figures.baseline_s - verdict.figures.selection_s) / verdict.figures.train_s, 9)
  // 3.31 epochs over 60 B tokens, by the law of repeated tokens.
  expect(sameTime?.effectiveTokens).toBeCloseTo(60e9 * (1 + 15.387756 * (1 - Math.exp(-((sameTime?.epochs ?? 0) - 1) / 15.387756))), -3)
  expect(sameTime?.leastGain).toBeCloseTo(200e9 / (sameTime?.effectiveTokens ?? 0), 9)
  expect(selectionWorth({ ...CASE, proxy: { params: 1e12, epochs: 5, scorings: 1 } }).sameTime).toBeUndefined()
})

test('the whole pool is refused, and the time of a case is that of its machines', () => {
  expect(selectionWorth({ ...CASE, keep: 1 }).verdict).toMatchObject({ passes: false, next: ['keep less than the whole pool'] })
  const twice = selectionWorth({ ...CASE, machine: { ...MACHINE, devices: 16 } })
  expect(twice.verdict.figures.train_s / HOUR).toBeCloseTo(selectionWorth(CASE).verdict.figures.train_s / HOUR / 2, 6)
})
