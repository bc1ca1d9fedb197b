import { builtInCatalog } from '@ironlaw/catalog'
import { parseTrainSpec } from '@ironlaw/contracts/train-spec'
import { builtInModel, importConfig } from '@ironlaw/models'
import { describe, expect, test } from 'vitest'
import { machineFor } from '../../machine/machine-for.ts'
import type { Setup } from '../job.ts'
import { answerTraining, type TrainingAnswer } from '../request/training-answer.ts'
import { trainingRequest } from '../request/training-request.ts'
import { sampleJob } from '../sample-job.ts'
import { PLAIN, type Strategy } from '../strategy.ts'
import { RUNTIMES } from '../time/runtimes.ts'
import { orthogonalizingTime } from '../time/optimizer-time.ts'
import { stepTime } from '../time/step-time.ts'
import { stepFlops } from '../time/utilization.ts'
import { profileOf } from '../search/profile.ts'
import { memoryAccount } from './memory.ts'
import { withOptimizer } from './optimizer.ts'
import { POLICIES } from './precision.ts'

const setupOf = (optimizer: 'adam' | 'adam-8bit' | 'muon', model = 'Llama-3.1-8B'): Setup => {
  const job = { ...sampleJob(model), policy: withOptimizer(POLICIES['bf16-mixed'], optimizer) }
  return { job, machine: machineFor(builtInCatalog, { accelerator: 'h100-sxm', policy: job.policy, runtime: RUNTIMES['megatron-core'] }) }
}

const stateBytes = (optimizer: 'adam' | 'adam-8bit' | 'muon', strategy: Strategy = PLAIN): number =>
  memoryAccount(setupOf(optimizer), strategy).worst.terms.optimizer

const PARAMETERS = 8_030_261_248
const ENDS = 2 * 128_256 * 4096

describe('what an optimizer keeps', () => {
  test('Muon one moment of the layers, two of token table and head', () => {
    expect(stateBytes('muon')).toBeCloseTo(8 * (PARAMETERS - ENDS) + 12 * ENDS, -6)
    expect(stateBytes('muon')).toBeLessThan(stateBytes('adam'))
  })

  test('Adam in 8 bits a quarter of the moments, with the scales of its blocks', () => {
    expect(stateBytes('adam-8bit')).toBeCloseTo((4 + 2.03125) * PARAMETERS, -6)
  })
})

describe('Muon', () => {
  test('costs at most its iterations times width over batch of the arithmetic (Jordan et al. 2024)', () => {
    const { job, machine } = setupOf('muon')
    const profile = profileOf({ job, machine }, PLAIN)
    const flops = profile.memories.reduce((sum, memory, at) => sum + memory.orthogonalizing * (job.architecture.groups[at]?.count ?? 0), 0)
    const share = flops / stepFlops(job, PLAIN).model
    const bound = (5 * 4096) / (job.globalBatch * job.sequence)
    expect(share).toBeGreaterThan(0.3 * bound)
    expect(share).toBeLessThan(bound)
  })

  test('adds to the step, and less where ranks share the matrices', () => {
    const extra = (strategy: Strategy): number =>
      stepTime(setupOf('muon'), strategy).causes.optimizer - stepTime(setupOf('adam'), strategy).causes.optimizer
    const shared: Strategy = { ...PLAIN, data: 8, shards: 'optimizer' }
    expect(stepTime(setupOf('muon'), shared).causes.data).toBeGreaterThan(stepTime(setupOf('adam'), shared).causes.data)
    expect(stepTime(setupOf('muon'), PLAIN).causes.optimizer).toBeGreaterThan(0)
    expect(extra(PLAIN)).toBeGreaterThan(7 * extra(shared))
  })
})

describe('Muon on routed experts', () => {
  const setup = setupOf('muon', 'Mixtral-8x7B')
  const layer = (strategy: Strategy) => profileOf(setup, strategy).memories.find(({ routed }) => routed > 0)

  test('makes gate and up orthogonal one by one: two of 4096 x 14336 and one back, of 8 experts', () => {
    const [m, n] = [4096, 14_336]
    const iteration = 4 * m * m * n + 2 * m ** 3
    expect(layer(PLAIN)?.orthogonalizingRouted).toBeCloseTo(5 * 8 * 3 * iteration, -12)
    expect((layer({ ...PLAIN, data: 8, expert: 8 })?.orthogonalizingRouted ?? 0) / (5 * 3 * iteration)).toBeCloseTo(1, 9)
  })

  test('is shared by the ranks that hold the same experts, not by all that hold the same attention', () => {
    const stage = { elements: 0, routed: 0, backward: 0, orthogonalizing: 0, orthogonalizingRouted: 1e15 }
    const time = (strategy: Partial<Strategy>): number => orthogonalizingTime(setup, { ...PLAIN, shards: 'optimizer', ...strategy }, stage)
    expect(time({ data: 8, expert: 8 })).toBe(time({ data: 1 }))
    expect(time({ data: 16, expert: 8 })).toBe(time({ data: 1 }) / 2)
  })
})

describe('where nothing fits with states on the device', () => {
  const answer = (given: { model: string; count: number; accelerator: string } & Record<string, unknown>): TrainingAnswer => {
    const { model, count, accelerator, ...more } = given
    const config = builtInModel(model)
    const imported = importConfig(config?.config)
    if (!imported.ok) throw new Error(imported.problem)
    const spec = parseTrainSpec(
      {
        apiVersion: 'ironlaw/v1',
        kind: 'Train',
        name: 'job',
        model,
        tokens: '1B tokens',
        sequence: 4096,
        globalBatch: 64,
        fleet: { accelerator, count },
        ...more,
      },
      'spec.yaml',
    )
    return answerTraining(
      builtInCatalog,
      trainingRequest(builtInCatalog, spec, { name: model, architecture: imported.architecture, warnings: [] }),
      {
        keep: 1,
      },
    )
  }

  test('they go to the host, with a warning, and the host link is in the account of capacities', () => {
    const { best, warnings } = answer({ model: 'Llama-3.1-70B', count: 8, accelerator: 'h100-sxm' })
    expect(best?.plan.decision.optimizerOn).toBe('host')
    expect(warnings).toContainEqual(expect.stringContaining('in host memory'))
    expect(best?.plan.prediction.capacities?.map(({ resource }) => resource)).toContain('host link')
  })

  test('a place that the spec names is kept, and what would help is named', () => {
    const { best, nothing } = answer({ model: 'Llama-3.1-70B', count: 8, accelerator: 'h100-sxm', strategy: { optimizerOn: 'device' } })
    expect(best).toBeUndefined()
    expect(nothing?.change).toContain('host')
  })

  test('what fits is left on the device', () => {
    const { best, warnings } = answer({ model: 'Llama-3.1-8B', count: 8, accelerator: 'h100-sxm' })
    expect(best?.plan.decision.optimizerOn).toBe('device')
    expect(warnings).not.toContainEqual(expect.stringContaining('host'))
  })

  test('without room in host or device, adapters are named', () => {
    const { best, nothing } = answer({ model: 'Llama-3.1-8B', count: 1, accelerator: 'rtx-4090', strategy: { optimizerOn: 'device' } })
    expect(best).toBeUndefined()
    expect(nothing?.change).toMatch(/lora|host/)
  })
})
