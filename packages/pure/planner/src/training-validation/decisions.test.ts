import { builtInCatalog } from '@ironlaw/catalog'
import { expect, test } from 'vitest'
import { decisionSets, type Prediction } from './decisions.ts'
import { machineOf } from './score.ts'
import { publishedCases } from './validate.ts'

const sweep = publishedCases.filter(({ question }) => question.startsWith('hagemann, LLaMA 65B'))

const predictions = (factorOf: (at: number) => number): readonly Prediction[] =>
  sweep.map((asked, at) => ({ asked, machine: machineOf(builtInCatalog, asked), predicted_s: asked.measured.step_s * factorOf(at) }))

test('a sweep predicted as measured has no regret', () => {
  const [set] = decisionSets(
    builtInCatalog,
    predictions(() => 1),
  )
  expect(set).toMatchObject({ name: 'published sweeps, dense', runs: 1, layouts: 2, picked: 1, ordered: 1, regret: { mean: 0 } })
})

test('picking another than the fastest costs what it takes longer', () => {
  const [first, second] = sweep.map(({ measured }) => measured.step_s).toSorted((a, b) => a - b)
  if (first === undefined || second === undefined) throw new Error('the sweep has two layouts')
  const fastest = sweep.findIndex(({ measured }) => measured.step_s === first)
  const [set] = decisionSets(
    builtInCatalog,
    predictions((at) => (at === fastest ? 10 : 1)),
  )
  expect(set?.picked).toBe(0)
  expect(set?.regret.mean).toBeCloseTo(second / first - 1)
})

test('the best plan is never slower than the model holds the measured layouts to be', () => {
  const [set] = decisionSets(
    builtInCatalog,
    predictions(() => 1),
  )
  expect(set?.promise.runs).toBe(1)
  expect(set?.promise.low).toBeGreaterThan(0.5)
  expect(set?.promise.low).toBeLessThan(1.15)
})
