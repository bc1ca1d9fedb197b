import { builtInCatalog } from '@ironlaw/catalog'
import type { RecomputeModule } from '@ironlaw/contracts'
import { describe, expect, test } from 'vitest'
import { stepInterval } from './time/interval.ts'
import { machineFor } from '../machine/machine-for.ts'
import type { TrainingJob } from './job.ts'
import type { Runtime } from './time/runtime.ts'
import { RUNTIMES } from './time/runtimes.ts'
import { sampleJob } from './sample-job.ts'
import { stepTime } from './time/step-time.ts'
import { PLAIN, type Strategy } from './strategy.ts'

const job = sampleJob('Qwen3-30B-A3B', { globalBatch: 512 })
const strategy: Strategy = { ...PLAIN, data: 8, expert: 8, shards: 'optimizer' }
const machineWith = (changes: Partial<Runtime> = {}) =>
  machineFor(builtInCatalog, { accelerator: 'b200', policy: job.policy, runtime: { ...RUNTIMES['megatron-core'], ...changes } })
const machineOn = (accelerator: string) =>
  machineFor(builtInCatalog, { accelerator, policy: job.policy, runtime: RUNTIMES['megatron-core'], portBandwidth: 50e9 })
const step = (changes: Partial<Runtime> = {}) => stepTime({ machine: machineWith(changes), job }, strategy)

describe('experts', () => {
  // Megatron-Bridge 25.11: 8 B200, 512 sequences of 4,096 tokens at 9,299 tokens a second and device, 64 microbatches of 48 layers.
  test('of a narrow model wait for the host, 9.2 ms per layer and microbatch', () => {
    expect((1000 * step().total) / 64 / 48).toBeCloseTo(9.18, 0)
    expect(step({ launchExpertForward_s: 0, launchExpertBackward_s: 0 }).total).toBeLessThan(step().total / 2)
  })

  test('exchange less by kernels that send a token once to a node, and least where the model limits the nodes', () => {
    const exchange = (model: string, changes: Partial<Strategy>): number => {
      const wide = sampleJob(model, { globalBatch: 512 })
      return stepTime({ machine: machineOn('h100-sxm'), job: wide }, { ...PLAIN, data: 64, expert: 64, shards: 'optimizer', ...changes })
        .causes.expert
    }
    const saved = (model: string): number => exchange(model, { dispatcher: 'deepep' }) / exchange(model, { dispatcher: 'alltoall' })
    // Eight nodes, eight experts a token: 5.25 of them have one, and of the four that DeepSeek-V3 allows 3.6.
    expect(saved('Qwen3-30B-A3B')).toBeCloseTo(5.25 / 8, 1)
    expect(saved('DeepSeek-V3')).toBeCloseTo(3.6 / 8, 1)
    const inEight = exchange('DeepSeek-V3', { dispatcher: 'deepep', dispatchPrecision: 'fp8' })
    expect(inEight / exchange('DeepSeek-V3', { dispatcher: 'deepep' })).toBeCloseTo((1 + 132 / 256) / 2, 1)
    expect(exchange('DeepSeek-V3', { dispatcher: 'allgather' })).toBeGreaterThan(exchange('DeepSeek-V3', { dispatcher: 'alltoall' }))
  })

  // Megatron-Bridge, skills/nemo-mbridge-perf-moe-comm-overlap: 41.25 s a step without overlap and 31.31 s with it, 16 H100, BF16.
  test('that exchange under another microbatch take as long as was measured', () => {
    const setup = { machine: machineOn('h100-sxm'), job: sampleJob('Qwen3-30B-A3B', { globalBatch: 1024 }) }
    const wide: Strategy = { ...PLAIN, data: 16, expert: 16, dispatcher: 'alltoall', shards: 'optimizer' }
    expect(stepTime(setup, wide).total / 41.25).toBeCloseTo(1, 0.9)
    expect(stepTime(setup, { ...wide, expertOverlap: true }).total / 31.31).toBeCloseTo(1, 0.9)
  })

  test('have nothing to hide under where a step has one microbatch', () => {
    const one = {
      machine: machineWith({ launchExpertForward_s: 0, launchExpertBackward_s: 0 }),
      job: sampleJob('Qwen3-30B-A3B', { globalBatch: 8 }),
    }
    const overlapped = stepTime(one, { ...strategy, expertOverlap: true })
    expect(overlapped.total).toBeCloseTo(stepTime(one, strategy).total, 9)
    expect(overlapped.hidden.expert).toBeCloseTo(0, 9)
  })

  test('are cast one by one in 8 bits, which is what more of them on a device cost', () => {
    const products = (expert: number, policy: 'bf16-mixed' | 'fp8'): number => {
      const cast = sampleJob('Qwen3-30B-A3B', { policy })
      const machine = machineFor(builtInCatalog, { accelerator: 'b200', policy: cast.policy, runtime: RUNTIMES['megatron-core'] })
      return stepTime({ machine, job: cast }, { ...PLAIN, data: 64, expert }).causes.products
    }
    const more = (policy: 'bf16-mixed' | 'fp8'): number => products(4, policy) - products(64, policy)
    // 30 experts more, two products of each cast forward and backward, 48 layers, 8 microbatches.
    expect(more('fp8') - more('bf16-mixed')).toBeGreaterThan(0.9 * 30 * 4 * 45e-6 * 48 * 8)
  })

  test('wait for the fullest rank: products and exchange grow, attention does not', () => {
    const at = (changes: Partial<TrainingJob>) => stepTime({ machine: machineOn('h100-sxm'), job: { ...job, ...changes } }, strategy).causes
    const uneven = at({ expertImbalance: 1.4 })
    expect(uneven.expert / at({}).expert).toBeCloseTo(1.4, 1)
    expect(uneven.products / at({}).products).toBeGreaterThan(1.15)
    expect(uneven.attention).toBe(at({}).attention)
  })

  test('recomputed whole exchange again; their activation alone costs little', () => {
    const recomputeTime = (module: RecomputeModule): number =>
      stepTime({ machine: machineWith(), job }, { ...strategy, recompute: 'selective', recomputeModules: [module] }).causes.recompute
    expect(recomputeTime('moe_act')).toBeGreaterThan(0)
    expect(recomputeTime('moe_act')).toBeLessThan(0.2 * recomputeTime('moe'))
    expect(recomputeTime('moe')).toBeGreaterThan(step().causes.expert / 2)
  })

  test('and software that no calibration row ran widen the interval', () => {
    const width = (model: string, changes: Partial<Runtime>): number => {
      const setup = { machine: machineWith(changes), job: sampleJob(model) }
      const timed = stepTime(setup, { ...PLAIN, data: 8 })
      const { low, high } = stepInterval(setup, { ...PLAIN, data: 8 }, timed)
      return Math.log(high / low)
    }
    expect(width('Llama-3.1-8B', { borrowed: true })).toBeGreaterThan(width('Llama-3.1-8B', {}))
    expect(width('Qwen3-30B-A3B', {})).toBeGreaterThan(2 * width('Llama-3.1-8B', {}))
  })
})
