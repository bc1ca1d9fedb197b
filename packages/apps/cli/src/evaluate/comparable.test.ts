import { join } from 'node:path'
import { readEvaluation, type ReadEvaluation } from '@ironlaw/evaluations'
import { compareStage } from '@ironlaw/policies/evaluation'
import { expect, test } from 'vitest'
import { comparisonOf } from './comparable.ts'

const FIXTURES = join(import.meta.dirname, '../../../../../tests/fixtures/evaluations')
const RULE = { margin: 0.05, risk: { falseBlock: 0.05, miss: 0.05 }, looks: 1, slices: [] }

const [before, whole] = [await readEvaluation(join(FIXTURES, 'before')), await readEvaluation(join(FIXTURES, 'after'))]

/** As if it had stopped against the first after 150 of 250 items. */
const stopped: ReadEvaluation = {
  results: whole.results.slice(0, 150),
  evaluation: {
    ...whole.evaluation,
    slices: [],
    sequential: {
      against: { model: 'chat', results: before.evaluation.results },
      stage: 3,
      asked: 150,
      margin: 0.05,
      risk: { false_block: 0.05, miss: 0.05 },
      looks: 1,
      verdict: 'as-good',
      difference: { value: 0, low: -0.04, high: 0.04 },
    },
  },
}

test('what stopped keeps the verdict of its stage', () => {
  const { rule, ...comparison } = comparisonOf(before, stopped, { ...RULE, margin: 0.08 })
  expect(rule.margin).toBe(0.05)
  expect(comparison).toEqual(compareStage({ before: before.results, after: stopped.results }, RULE, 3))
})

test.each([
  ['a smaller margin', { ...RULE, margin: 0.02 }],
  ['a smaller risk', { ...RULE, risk: { falseBlock: 0.05, miss: 0.01 } }],
  ['more candidates', { ...RULE, looks: 3 }],
])('refuses %s than it was stopped by', (_, rule) => {
  expect(() => comparisonOf(before, stopped, rule)).toThrow(/by a weaker rule \(margin 0.05, risks 0.05 and 0.05, looks 1\)/)
})

test('refuses what stopped against another one, on either side', () => {
  expect(() => comparisonOf(whole, stopped, RULE)).toThrow('stopped after 150 of 250 items')
  expect(() => comparisonOf(stopped, before, RULE)).toThrow('stopped after 150 of 250 items')
})
