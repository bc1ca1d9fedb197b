import { builtInCatalog } from '@ironlaw/catalog'
import type { RecomputeModule } from '@ironlaw/contracts'
import { describe, expect, test } from 'vitest'
import { stepInterval } from './time/interval.ts'
import { machineFor } from '../machine/machine-for.ts'
import type { Runtime } from './time/runtime.ts'
import { RUNTIMES } from './time/runtimes.ts'
import { sampleJob } from './sample-job.ts'
import { stepTime } from './time/step-time.ts'
import { PLAIN, type Strategy } from './strategy.ts'

const job = sampleJob('Qwen3-30B-A3B', { globalBatch: 512 })
const strategy: Strategy = { ...PLAIN, data: 8, expert: 8, shards: 'optimizer' }
const machineWith = (changes: Partial<Runtime> = {}) =>
  machineFor(builtInCatalog, { accelerator: 'b200', policy: job.policy, runtime: { ...RUNTIMES['megatron-core'], ...changes } })
const step = (changes: Partial<Runtime> = {}) => stepTime({ machine: machineWith(changes), job }, strategy)

describe('experts', () => {
  // Megatron-Bridge 25.11: 8 B200, 512 sequences of 4,096 tokens at 9,299 tokens a second and device, 64 microbatches of 48 layers.
  test('of a narrow model wait for the host, 9.2 ms per layer and microbatch', () => {
    expect((1000 * step().total) / 64 / 48).toBeCloseTo(9.18, 0)
    expect(step({ launchExpertsForward_s: 0, launchExpertsBackward_s: 0 }).total).toBeLessThan(step().total / 2)
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
