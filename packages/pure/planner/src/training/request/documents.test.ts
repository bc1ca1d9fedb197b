import { builtInCatalog } from '@ironlaw/catalog'
import { parseTrainSpec } from '@ironlaw/contracts/train-spec'
import { builtInModel, importConfig } from '@ironlaw/models'
import { describe, expect, test } from 'vitest'
import { lengthsOf, meanLength, meanSquare } from '../../lengths.ts'
import { memoryAccount } from '../memory/memory.ts'
import { type PlanningResult, planTraining } from '../plan-training.ts'
import { PLAIN, type Strategy } from '../strategy.ts'
import { stepTime } from '../time/step-time.ts'
import { stepFlops } from '../time/utilization.ts'
import { type TrainingRequest, trainingRequest } from './training-request.ts'

const request = (more: Record<string, unknown>): TrainingRequest => {
  const model = builtInModel('Llama-3.1-8B')
  const imported = importConfig(model?.config)
  if (!imported.ok) throw new Error(imported.problem)
  const spec = parseTrainSpec(
    {
      apiVersion: 'ironlaw/v1',
      kind: 'Train',
      name: 'sft',
      model: 'Llama-3.1-8B',
      tokens: '1B tokens',
      sequence: '32k',
      globalBatch: 64,
      fleet: { accelerator: 'h100-sxm', count: 8 },
      ...more,
    },
    'sft.yaml',
  )
  return trainingRequest(builtInCatalog, spec, { name: 'Llama-3.1-8B', architecture: imported.architecture, warnings: [] })
}

const STRATEGY: Strategy = { ...PLAIN, data: 8, shards: 'weights', recompute: 'full' }
const stepOf = ({ machine, wanted: { job } }: TrainingRequest) => stepTime({ machine, job }, STRATEGY)

describe('lengths', () => {
  test('of a mean and a variation have both', () => {
    const lengths = lengthsOf({ mean: 1000, variation: 0.9 })
    expect(meanLength(lengths)).toBeCloseTo(1000, -1)
    expect(Math.sqrt(meanSquare(lengths) - meanLength(lengths) ** 2) / 1000).toBeCloseTo(0.9, 1)
  })

  test('of a histogram are its own, whatever its weights add up to', () => {
    const lengths = lengthsOf({ variation: 0, histogram: [{ tokens: 300, share: 1 }, { tokens: 100, share: 3 }] }) // prettier-ignore
    expect(lengths).toEqual([
      { tokens: 100, share: 0.75 },
      { tokens: 300, share: 0.25 },
    ])
  })
})

describe('packed documents', () => {
  const packed = (mean: number, variation = 0): TrainingRequest => request({ documents: { lengths: { mean, variation } } })

  test('attend to themselves alone: equal documents of a sixteenth of the sequence cost a sixteenth of the pairs', () => {
    const pairs = (asked: TrainingRequest): number => stepFlops(asked.wanted.job, PLAIN).model
    const [whole, halved, small] = [pairs(request({})), pairs(packed(16_384)), pairs(packed(2048))]
    expect((whole - small) / (whole - halved)).toBeCloseTo((1 - 1 / 16) / (1 - 1 / 2), 6)
    expect(stepOf(packed(2048)).causes.attention).toBeLessThan(stepOf(request({})).causes.attention / 4)
    expect(stepOf(packed(2048)).causes.products).toBe(stepOf(request({})).causes.products)
  })

  test('of different lengths cost more than equal ones: long ones weigh by their square', () => {
    expect(stepOf(packed(2048, 1)).causes.attention).toBeGreaterThan(stepOf(packed(2048)).causes.attention)
  })

  test('that fill the sequence are as if unpacked', () => {
    expect(stepOf(packed(32_768)).total).toBe(stepOf(request({})).total)
  })

  test('instead of padding save the padding', () => {
    const padded = request({ documents: { lengths: { mean: 4096, variation: 0 }, packed: false } })
    expect(padded.wanted.tokens).toBe(8e9)
    expect(padded.warnings).toContainEqual(expect.stringContaining('88 % of each sequence is padding'))
  })

  test('need a mean or a histogram', () => {
    expect(() => request({ documents: { lengths: {} } })).toThrow('either mean or histogram')
  })
})

describe('DPO', () => {
  test('runs the reference model forward and keeps its weights', () => {
    const [plain, dpo] = [request({}), request({ method: 'dpo' })]
    const flops = (asked: TrainingRequest): number => stepFlops(asked.wanted.job, PLAIN).model
    expect(flops(dpo) / flops(plain)).toBeCloseTo(4 / 3, 2)
    const weights = ({ machine, wanted: { job } }: TrainingRequest): number => memoryAccount({ machine, job }, STRATEGY).worst.terms.weights
    expect(weights(dpo) - weights(plain)).toBeCloseTo((2 * 8_030_261_248) / 8, -3)
    expect(stepOf(dpo).causes.recompute).toBe(stepOf(plain).causes.recompute)
    expect(stepOf(dpo).total).toBeGreaterThan(1.15 * stepOf(plain).total)
  })

  test('recomputes the passes of the policy alone, so that links carry as much again as without', () => {
    const carried = (asked: TrainingRequest): number => {
      const hidden = (recompute: Strategy['recompute']): number =>
        stepTime({ machine: asked.machine, job: asked.wanted.job }, { ...PLAIN, tensor: 8, sequenceParallel: true, recompute }).hidden
          .tensor
      return hidden('full') - hidden('none')
    }
    expect(carried(request({ method: 'dpo' }))).toBeCloseTo(carried(request({})), 9)
  })

  test('with adapters needs no second copy: the reference is the model without them', () => {
    const weights = (method: string): number => {
      const { machine, wanted } = request({ method, precision: 'lora' })
      return memoryAccount({ machine, job: wanted.job }, STRATEGY).worst.terms.weights
    }
    expect(weights('dpo')).toBe(weights('next-token'))
  })

  test('is what the plan says, and one pass takes whole pairs', () => {
    const documents = { lengths: { mean: 4096 }, packed: false }
    const { plans } = planned({ method: 'dpo', documents })
    expect(plans[0]?.plan).toMatchObject({ method: 'dpo', packed: false })
    expect(plans.map(({ plan }) => plan.decision.microbatch % 2)).toEqual(plans.map(() => 0))
    const [plain] = planned({}).plans
    expect(plain?.plan).not.toHaveProperty('method')
    expect(plain?.plan).not.toHaveProperty('packed')
    expect(planned({ documents: { lengths: { mean: 4096 } } }).plans[0]?.plan).toMatchObject({ packed: true })
  })

  test('has an even batch', () => {
    expect(() => request({ method: 'dpo', globalBatch: 63 })).toThrow('globalBatch: dpo takes pairs of answers')
    const { wanted, warnings } = request({ method: 'dpo', globalBatch: `${3 * 32_768} tokens` })
    expect(wanted.job.globalBatch).toBe(4)
    expect(warnings).toContainEqual(expect.stringContaining('4 sequences, to make whole pairs'))
  })
})

function planned(more: Record<string, unknown>): PlanningResult {
  const { machine, wanted } = request({ sequence: 4096, ...more })
  return planTraining(builtInCatalog, machine, { ...wanted, keep: 5 })
}
