import type { RecomputeModule } from '@ironlaw/contracts'
import { builtInCatalog } from '@ironlaw/catalog'
import { describe, expect, test } from 'vitest'
import type { TrainingJob } from '../job.ts'
import type { MemoryInputs } from './layer-memory.ts'
import { machineFor } from '../../machine/machine-for.ts'
import { memoryAccount, worstMemory } from './memory.ts'
import { profileOf } from '../search/profile.ts'
import { type RuntimeName, RUNTIMES } from '../time/runtimes.ts'
import { sampleJob } from '../sample-job.ts'
import { PLAIN, type Strategy } from '../strategy.ts'

const memoryInputs = (runtime: RuntimeName, loss: TrainingJob['loss'] = 'unfused'): MemoryInputs => ({
  job: sampleJob('Llama-3.1-8B', { sequence: 8192, globalBatch: 128, policy: 'fsdp-mixed', loss }),
  machine: { runtime: RUNTIMES[runtime] },
})

const SHARDED: Strategy = { ...PLAIN, data: 8, microbatch: 2, shards: 'weights' }
const TOKENS = 2 * 8192
const LOGITS = TOKENS * 128_256

describe('an unfused loss', () => {
  const logits = (runtime: RuntimeName, loss: TrainingJob['loss']): number =>
    memoryAccount(memoryInputs(runtime, loss), SHARDED).worst.terms.logits

  test('holds 12 bytes per logit in eager PyTorch, 6 in Megatron, 2 when fused', () => {
    const fused = logits('fsdp-eager', 'fused')
    expect(logits('fsdp-eager', 'unfused') - fused).toBe(10 * LOGITS)
    expect(logits('megatron-core', 'unfused') - fused).toBe(4 * LOGITS)
    expect(fused / LOGITS).toBeCloseTo(2, 0)
  })
})

describe('recomputing operator by operator', () => {
  // Llama 3.1 8B: input, half of the outputs of q, k, v, o, gate, up and down, output of attention and its log-sum-exp.
  const perToken = 2 * (4096 + (3 * 4096 + 2 * 1024 + 2 * 14_336) / 2 + 4096) + 4 * 32

  test('keeps the input, attention and every other product of a layer', () => {
    const { activations } = memoryAccount(memoryInputs('fsdp-eager'), { ...SHARDED, recompute: 'selective' }).worst.terms
    expect(activations).toBeCloseTo(32 * TOKENS * perToken, -3)
  })

  test('builds the rest of a layer again at work, where Megatron with fused attention drops nothing', () => {
    const working = (runtime: RuntimeName, recompute: Strategy['recompute']): number =>
      memoryAccount(memoryInputs(runtime), { ...SHARDED, recompute }).worst.terms.working
    expect(working('fsdp-eager', 'selective')).toBeGreaterThan(working('fsdp-eager', 'none'))
    expect(working('megatron-core', 'selective')).toBe(working('megatron-core', 'none'))
  })
})

describe('FSDP that keeps gathered weights', () => {
  const PARAMETERS = 8_030_261_248
  const states = (strategy: Partial<Strategy>): number[] => {
    const { stages } = memoryAccount(memoryInputs('fsdp-compiled'), { ...SHARDED, shards: 'gradients', ...strategy })
    return (['weights', 'gradients'] as const).map((term) => stages.reduce((sum, { terms }) => sum + terms[term], 0) / PARAMETERS)
  }

  test('holds the master in shards and a 16-bit copy', () => {
    expect(states({})).toEqual([expect.closeTo(4 / 8 + 2, 6), expect.closeTo(4 / 8, 6)])
  })

  test('under a pipeline adds up whole gradients until the last microbatch', () => {
    expect(states({ pipeline: 4, microbatch: 1 })).toEqual([expect.closeTo(4 / 8 + 2, 6), expect.closeTo(4, 6)])
  })

  // 128 sequences over 8 ranks in microbatches of 4 are one round of 4: each of 8 chunks is scattered when its backward passes are over.
  test('in one round of interleaved chunks holds two of them whole', () => {
    const round = { pipeline: 4, virtual: 8, schedule: 'interleaved', microbatch: 4 } as const
    expect(states(round)[1]).toBeCloseTo((2 / 8) * 4 + (6 / 8) * (4 / 8), 6)
    expect(states({ ...round, microbatch: 2 })[1]).toBeCloseTo(4, 6)
  })
})

describe('what a layer keeps', () => {
  const perToken = (
    changes: Parameters<typeof sampleJob>[1],
    recomputed: Partial<Pick<Strategy, 'recompute' | 'recomputeModules'>> = {},
    model = 'Llama-3.1-8B',
  ): number => {
    const job = sampleJob(model, { ...changes, sequence: 8192 })
    const { terms } = memoryAccount({ job, machine: { runtime: RUNTIMES['megatron-core'] } }, { ...PLAIN, ...recomputed }).worst
    return terms.activations / 8192 / job.architecture.layout.length
  }
  const selective = (...recomputeModules: RecomputeModule[]) => ({ recompute: 'selective', recomputeModules }) as const
  // Llama 3.1 8B: width 4,096, keys and values 2 x 1,024, inner width 14,336, 32 heads.
  const [width, inner] = [4096, 14_336]
  const attention = 2 * (2 * width + 2 * 1024) + 4 * 32

  test('in 16 bits: inputs of two norms, of two products, attention, gate and up, and their product', () =>
    expect(perToken({})).toBeCloseTo(2 * width * 4 + attention + 2 * 3 * inner, 6))

  test('in FP8: a copy of one byte for each of four products, attention and norms as before', () =>
    expect(perToken({ policy: 'fp8' })).toBeCloseTo(2 * width * 2 + attention + 2 * 2 * inner + 3 * width + inner, 6))

  test('with norms and the dense MLP recomputed: neither what norms made nor what the MLP made', () =>
    expect(perToken({}, selective('layernorm', 'mlp'))).toBeCloseTo(2 * width * 2 + attention, 6))

  // DeepSeek-V3: 128 heads with queries and keys of 192 and values of 128; 58 of 61 layers have experts, 8 of them active, inner width 2,048.
  test('with up-projections of latent attention recomputed: no queries, keys and values', () =>
    expect(perToken({}, {}, 'DeepSeek-V3') - perToken({}, selective('mla_up_proj'), 'DeepSeek-V3')).toBeCloseTo(
      2 * 128 * (192 + 192 + 128),
      6,
    ))

  test('with the activation of experts recomputed: not its output', () =>
    expect(perToken({}, {}, 'DeepSeek-V3') - perToken({}, selective('moe_act'), 'DeepSeek-V3')).toBeCloseTo((58 / 61) * 2 * 8 * 2048, 6))
})

describe('DualPipe', () => {
  const job = sampleJob('Llama-3.1-8B')
  const at = (schedule: Strategy['schedule']): Strategy => ({ ...PLAIN, pipeline: 4, data: 2, shards: 'optimizer', schedule })
  const of = (schedule: Strategy['schedule']) => memoryAccount({ job, machine: { runtime: RUNTIMES['megatron-core'] } }, at(schedule))
  const sum = (schedule: Strategy['schedule'], term: 'weights' | 'gradients' | 'optimizer'): number =>
    of(schedule).stages.reduce((total, { terms }) => total + terms[term], 0)

  test('holds weights and gradients of two stages on a rank, and shards states among the pair', () => {
    expect(sum('dualpipe', 'weights') / sum('1f1b', 'weights')).toBeCloseTo(2, 12)
    expect(sum('dualpipe', 'gradients') / sum('1f1b', 'gradients')).toBeCloseTo(2, 12)
    expect(sum('dualpipe', 'optimizer') / sum('1f1b', 'optimizer')).toBeCloseTo(1, 12)
  })

  test('keeps activations of one more microbatch than stages, as much on every rank', () => {
    const [, second, third] = of('dualpipe').stages
    expect(second?.terms.activations).toBeCloseTo(third?.terms.activations ?? 0, 0)
    expect((of('dualpipe').stages[0]?.terms.activations ?? 0) / (of('1f1b').stages[0]?.terms.activations ?? 1)).toBeCloseTo(5 / 4, 12)
  })

  test('the search weighs it as the account does', () => {
    const strategy = at('dualpipe')
    const machine = machineFor(builtInCatalog, { accelerator: 'h100-sxm', policy: job.policy, runtime: RUNTIMES['megatron-core'] })
    const { memories } = profileOf({ job, machine }, strategy)
    expect(worstMemory(job, strategy, memories).likely).toBeCloseTo(of('dualpipe').worst.device.likely, -1)
  })
})
