import { builtInCatalog } from '@ironlaw/catalog'
import { parseTrainSpec } from '@ironlaw/contracts/train-spec'
import { builtInModel, importConfig } from '@ironlaw/models'
import { describe, expect, test } from 'vitest'
import { explainedPlan } from '../explain/explained-plan.ts'
import { answerTraining } from './training-answer.ts'
import { trainingRequest } from './training-request.ts'

const imported = importConfig(builtInModel('Llama-3.1-70B')?.config)
if (!imported.ok) throw new Error(imported.problem)
const named = { name: 'llama', architecture: imported.architecture, warnings: [] }

const LAYOUT = {
  tensor: 8,
  context: 1,
  sequenceParallel: true,
  pipeline: 2,
  virtual: 1,
  microbatch: 1,
  shards: 'optimizer',
  recompute: 'none',
}

function answerFor(over: object) {
  const spec = {
    apiVersion: 'ironlaw/v1',
    kind: 'Train',
    name: 'fits',
    model: 'm',
    tokens: '1T',
    sequence: 8192,
    globalBatch: 512,
    fleet: { accelerator: 'h100-sxm', count: 64 },
    ...over,
  }
  return answerTraining(builtInCatalog, trainingRequest(builtInCatalog, parseTrainSpec(spec, 'train.yaml'), named), { keep: 3 })
}

describe('plans fit with the probability asked for', () => {
  test('0.95 unless the spec says otherwise', () => {
    const { planning, warnings } = answerFor({})
    expect(planning).toMatchObject({ tight: false, probability: 0.95 })
    for (const { plan } of planning.plans) expect(plan.prediction.memory_probability).toBeGreaterThanOrEqual(0.95)
    expect(warnings).not.toContainEqual(expect.stringContaining('tight'))
  })

  test('the surer, the slower, and never more that fit', () => {
    const answers = [0.5, 0.8, 0.95, 0.99].map((probability) => answerFor({ memory: { probability } }).planning)
    const steps = answers.map(({ plans }) => plans[0]?.plan.prediction.step_s ?? 0)
    expect(steps).toEqual(steps.toSorted((a, b) => a - b))
    const fitting = answers.map(({ found }) => found.fitting)
    expect(fitting).toEqual(fitting.toSorted((a, b) => b - a))
    expect(new Set(fitting).size).toBe(4)
  })

  test('states go to the host where a layout that may fit is slower', () => {
    const { best } = answerFor({ sequence: 4096, globalBatch: 64, fleet: { accelerator: 'h100-sxm', count: 16 } })
    expect(best?.candidate.strategy.optimizerOn).toBe('host')
    expect(best?.plan.prediction.memory_probability).toBeGreaterThanOrEqual(0.95)
  })

  test('the derivation of a plan gives the same probability', () => {
    const { best, request } = answerFor({})
    if (!best) throw new Error('no plan')
    expect(explainedPlan(builtInCatalog, request, best)['fit']?.value).toBeCloseTo(best.plan.prediction.memory_probability ?? 0, 9)
  })
})

describe('a layout that only may fit', () => {
  const tight = { sequence: 14_336, strategy: LAYOUT }

  test('is a warning with its probability and what would help', () => {
    const { best, warnings, violated } = answerFor(tight)
    expect(best?.plan.prediction.memory_probability).toBeGreaterThan(0.5)
    expect(warnings).toContainEqual(
      expect.stringMatching(/^tight: .* fits with 6\d %, where 95 % are asked for; recompute every layer to fit with more than 99 %$/),
    )
    expect(violated).toEqual([])
  })

  test('breaks a spec that states the probability, and meets one that states less', () => {
    expect(answerFor({ ...tight, memory: { probability: 0.9 } }).violated).toEqual([expect.stringContaining('where 90 % are asked for')])
    expect(answerFor({ ...tight, memory: { probability: 0.5 } })).toMatchObject({ violated: [], planning: { tight: false } })
  })

  test('what cannot fit is refused with its probability', () => {
    const { best, nothing } = answerFor({ sequence: 65_536, strategy: LAYOUT })
    expect(best).toBeUndefined()
    expect(nothing?.why).toContain('fit with less than 1 %')
    expect(nothing?.change).toBe('recompute every layer')
  })
})
