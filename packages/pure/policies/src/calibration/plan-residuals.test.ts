import { expect, test } from 'vitest'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { coverageOf } from './coverage.ts'
import { comparedRun, type RunStep } from './plan-residuals.ts'

const plan = sampleTrainingPlan({
  fleet: { devices: 4, perNode: 2 },
  prediction: { step_s: 1, step_low_s: 0.8, step_high_s: 1.25, causes_s: { products: 0.5, vector: 0.2, data: 0.2, optimizer: 0.1 } },
})
const steps = (count: number, changed: Partial<RunStep> = {}): RunStep[] =>
  Array.from({ length: count }, (_, step) => ({
    step: step + 1,
    seconds: step === 5 ? 3.1 : 1.1,
    world: 4,
    phases_s: { compute: 0.8, communication: 0.2, optimizer: 0.1, ...(step === 5 && { checkpoint: 2 }) },
    ...changed,
  }))

test('a run compared with its plan, class by class; a checkpoint is no part of the step', () => {
  const found = comparedRun({ run: 'a', plan, steps: steps(30) })
  expect(found.ok && found.finished).toEqual({ run: 'a', predicted_s: 1, low_s: 0.8, high_s: 1.25, measured_s: 1.1 })
  expect(found.ok && found.observations.map(({ work, predicted_s, ranks, seconds }) => [work, predicted_s, ranks, seconds.length])).toEqual(
    [
      ['compute', 0.7, 2, 27],
      ['communication', 0.2, 2, 27],
      ['optimizer', 0.1, 2, 27],
    ],
  )
})

test('the correction that was in force goes with it', () => {
  const measured = { note: '', corrections: { compute: 1.4 } }
  const found = comparedRun({ run: 'a', plan: { ...plan, prediction: { ...plan.prediction, measured } }, steps: steps(30) })
  expect(found.ok && found.observations.map(({ correction }) => correction)).toEqual([1.4, 1, 1])
})

test('a program that names no phases teaches about computing what the rest leaves', () => {
  const found = comparedRun({ run: 'a', plan, steps: steps(30, { seconds: 1.1, phases_s: {} }) })
  expect(found.ok && found.observations.map(({ work, seconds }) => [work, seconds[0]])).toEqual([['compute', expect.closeTo(0.8, 9)]])
})

test('waiting for the slowest rank is its computing, not communication', () => {
  const found = comparedRun({ run: 'a', plan, steps: steps(30, { slowest: { compute_s: 0.95 } }) })
  expect(found.ok && found.observations.map(({ seconds }) => seconds[0])).toEqual([0.95, expect.closeTo(0.05, 9), 0.1])
})

test('with a sharded optimizer, exchange and update are judged as one', () => {
  const measured = { note: '', corrections: { communication: 2, optimizer: 1 } }
  const sharded = { ...plan, decision: { ...plan.decision, shards: 'optimizer' as const }, prediction: { ...plan.prediction, measured } }
  const found = comparedRun({ run: 'a', plan: sharded, steps: steps(30) })
  expect(
    found.ok && found.observations.slice(1).map(({ predicted_s, correction, seconds }) => [predicted_s, correction, seconds[0]]),
  ).toEqual([
    [expect.closeTo(0.3, 9), expect.closeTo(1.5, 9), expect.closeTo(0.3, 9)],
    [expect.closeTo(0.3, 9), expect.closeTo(1.5, 9), expect.closeTo(0.3, 9)],
  ])
})

test('steps of another number of ranks do not count', () => {
  expect(comparedRun({ run: 'a', plan, steps: steps(30, { world: 2 }) })).toEqual({
    ok: false,
    reason: '0 steps after the first 3, fewer than 5; 30 were made with other than 4 ranks',
  })
})

test('coverage is the share of runs inside their interval', () => {
  const run = (measured_s: number) => ({ run: String(measured_s), predicted_s: 1, low_s: 0.8, high_s: 1.25, measured_s })
  expect(coverageOf([])).toBeUndefined()
  expect(coverageOf([run(0.9), run(1), run(1.1), run(2)])).toEqual({ runs: 4, inside: 0.75, error: expect.closeTo(0.101, 3) })
})
