import { STEP_CAUSE_INFO, STEP_CAUSES } from '@ironlaw/contracts'
import { builtInCatalog } from '@ironlaw/catalog'
import { describe, expect, test } from 'vitest'
import { stateOf } from '../address.ts'
import { planAnswer } from './plan-answer.ts'
import { TRAINING, type TrainingQuestion } from './question.ts'
import { slowAnswer } from './slow-answer.ts'

const QUESTION: TrainingQuestion = {
  ...stateOf(TRAINING, new URLSearchParams()),
  devices: 64,
  batch: 256,
  model: 'meta-llama/Llama-3.1-8B',
}

describe('a question that fits', () => {
  const { details, plans } = planAnswer(builtInCatalog, QUESTION)

  test('every derivation ends in the number that is shown', () => {
    const { prediction } = details?.plan ?? {}
    const { derivations } = details ?? {}
    expect(derivations?.['time']?.value).toBeCloseTo(prediction?.duration_s ?? 0, 6)
    expect(derivations?.['cost']?.value).toBeCloseTo(prediction?.cost_usd ?? 0, 3)
    expect(derivations?.['energy']?.value).toBeCloseTo(prediction?.energy_j ?? 0, -3)
    expect(derivations?.['mfu']?.value).toBeCloseTo(prediction?.mfu ?? 0, 9)
    expect((derivations?.['step']?.value ?? 0) / (prediction?.step_s ?? 1)).toBeCloseTo(1, 6)
    expect((derivations?.['memory']?.value ?? 0) / (prediction?.memory_bytes ?? 1)).toBeCloseTo(1, 6)
  })

  test('another rank is another plan', () => {
    expect(planAnswer(builtInCatalog, { ...QUESTION, rank: 1 }).details?.plan.id).toBe(plans[1]?.id)
  })

  test('the answer survives structured cloning', () => {
    expect(structuredClone(details)).toEqual(details)
  })

  test('passes of the timeline come to an end, and the front is a front', () => {
    const { passes, front, failures, cloud } = slowAnswer(builtInCatalog, QUESTION, details?.plan)
    expect(passes && Math.max(...passes.end)).toBe(passes?.span_s)
    expect(front.map(({ prediction }) => prediction.duration_s)).toEqual(
      front.map(({ prediction }) => prediction.duration_s).toSorted((a, b) => a - b),
    )
    expect(failures?.outcome.replicas).toBe(200)
    expect(cloud.step_s[0]).toBeCloseTo(details?.plan.prediction.step_s ?? 0, 6)
  })
})

test('a model that does not fit names a number of devices on which it does', () => {
  const { nothing, details } = planAnswer(builtInCatalog, { ...QUESTION, model: 'meta-llama/Llama-3.1-405B', devices: 8 })
  expect(details).toBeUndefined()
  expect(nothing?.stages.some(({ likely }) => likely > 80e9)).toBe(true)
  const smaller = planAnswer(builtInCatalog, { ...QUESTION, model: 'meta-llama/Llama-3.1-405B', devices: nothing?.devices ?? 8 })
  expect(smaller.details).toBeDefined()
})

test('a batch that divides badly has a neighbour that is better, and one that divides well has none', () => {
  const suggested = (batch: number): readonly number[] =>
    slowAnswer(builtInCatalog, { ...QUESTION, batch }, undefined).suggestions.map(({ to }) => to)
  expect(suggested(251)).toEqual([256])
  expect(suggested(256)).toEqual([])
})

test('a fleet whose goal is money is not larger than the one whose goal is time', () => {
  const devices = (goal: TrainingQuestion['goal']): number => planAnswer(builtInCatalog, { ...QUESTION, goal }).devices
  expect(devices('cost')).toBeLessThanOrEqual(devices('time'))
})

test('only exchange is hidden, and never less than nothing', () => {
  // With a pipeline, overlap also shortens the bubble, which hides nothing.
  const { details } = planAnswer(builtInCatalog, { ...QUESTION, model: 'meta-llama/Llama-3.1-405B', devices: 512, batch: 512 })
  const hidden = STEP_CAUSES.filter((cause) => details?.hidden[cause] !== 0)
  expect(details?.plan.decision.pipeline).toBeGreaterThan(1)
  expect(hidden).toContain('tensor')
  expect(hidden.filter((cause) => STEP_CAUSE_INFO[cause].nature !== 'exchange')).toEqual([])
  expect(STEP_CAUSES.filter((cause) => (details?.hidden[cause] ?? 0) < 0)).toEqual([])
})
