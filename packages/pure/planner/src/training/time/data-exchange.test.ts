import { builtInCatalog } from '@ironlaw/catalog'
import { describe, expect, test } from 'vitest'
import { type ExchangeInputs, exposedTime, microbatchExchanges, stepExchanges } from './data-exchange.ts'
import type { Setup } from '../job.ts'
import { machineFor } from '../../machine/machine-for.ts'
import { offloadParts, offloadTime, optimizerTime } from './optimizer-time.ts'
import { RUNTIMES } from './runtimes.ts'
import { sampleJob } from '../sample-job.ts'
import { stepTime } from './step-time.ts'
import { PLAIN, type Strategy } from '../strategy.ts'

const setupOf = (accelerator: string): Setup => {
  const job = sampleJob('Llama-3.1-8B')
  return { job, machine: machineFor(builtInCatalog, { accelerator, policy: job.policy, runtime: RUNTIMES['megatron-core'] }) }
}
const setup = setupOf('h100-sxm')
/** Passes too short to hide anything under. */
const STAGE: ExchangeInputs = { forward: 0, backward: 0, layers: 32, elements: 8e9, routed: 0, frozen: 0, frozenRouted: 0, frozenEnds: 0 }
const shardedStrategy = (shards: Strategy['shards'], more: Partial<Strategy> = {}): Strategy => ({ ...PLAIN, data: 32, shards, ...more })
const names = (exchanges: readonly { readonly name: string }[]): string[] => exchanges.map(({ name }) => name)

describe('sharded gradients', () => {
  test('are scattered every microbatch, those of a sharded optimizer once', () => {
    expect(names(microbatchExchanges(setup, shardedStrategy('gradients'), STAGE))).toEqual(['reduce-scatter'])
    expect(names(stepExchanges(setup, shardedStrategy('gradients'), STAGE))).toEqual(['all-gather'])
    expect(names(microbatchExchanges(setup, shardedStrategy('optimizer'), STAGE))).toEqual([])
    expect(names(stepExchanges(setup, shardedStrategy('optimizer'), STAGE))).toEqual(['reduce-scatter', 'all-gather'])
  })

  test('under a pipeline are kept whole and scattered once', () => {
    expect(microbatchExchanges(setup, shardedStrategy('gradients', { pipeline: 2 }), STAGE)).toEqual([])
    expect(names(stepExchanges(setup, shardedStrategy('gradients', { pipeline: 2 }), STAGE))).toEqual(['reduce-scatter', 'all-gather'])
  })

  test('cost a step more than those kept whole, the more microbatches', () => {
    const data = (shards: Strategy['shards'], microbatch: number): number =>
      stepTime(setup, shardedStrategy(shards, { microbatch })).causes.data
    expect(data('gradients', 1)).toBeGreaterThan(data('optimizer', 1))
    expect(data('gradients', 1) - data('optimizer', 1)).toBeGreaterThan(data('gradients', 4) - data('optimizer', 4))
  })
})

describe('a shard group', () => {
  const exposed = (strategy: Strategy): number => exposedTime(microbatchExchanges(setup, strategy, STAGE))

  test('in a node gathers over its links, and reduces an eighth between nodes', () => {
    const [gather, , scatter] = microbatchExchanges(setup, shardedStrategy('weights', { shardGroup: 8 }), STAGE)
    const [far] = microbatchExchanges(setup, shardedStrategy('weights'), STAGE)
    expect(gather?.time).toBeLessThan(far?.time ?? 0)
    // An eighth of the bytes, twice 3/4 of them sent among the four replicas, through a port of its own.
    const port = (2 * 0.75 * 8e9 * 4) / 8 / (50e9 * 0.85)
    expect(scatter?.time).toBeGreaterThan(port)
    expect(scatter?.time).toBeLessThan(1.1 * port)
  })

  test('of all replicas is plain sharding', () =>
    expect(exposed(shardedStrategy('weights', { shardGroup: 32 }))).toBe(exposed(shardedStrategy('weights'))))
})

describe('an optimizer off the device', () => {
  const stage = { elements: 8e9, routed: 0, backward: 0, orthogonalizing: 0, orthogonalizingRouted: 0 }
  const on = (optimizerOn: Strategy['optimizerOn']): Strategy => shardedStrategy('optimizer', { optimizerOn })

  test('sends gradients down and weights up over the slot and updates at the speed of host memory', () => {
    const { down, update, up, drive } = offloadParts(setup, on('host'), stage)
    const own = 8e9 / 32
    expect(down).toBeCloseTo((own * 4) / (63e9 * 0.87), 12)
    expect(up).toBeCloseTo((own * 2) / (63e9 * 0.87), 12)
    expect(update).toBeCloseTo((own * (2 * 12 + 4 + 2)) / (0.8 * 76.8e9), 12)
    expect(drive).toBe(0)
    expect(offloadTime(setup, on('host'), stage)).toBe(down + Math.max(update, up))
    expect(offloadTime(setup, on('device'), stage)).toBe(0)
  })

  test('hides the way down under the last backward pass', () =>
    expect(offloadParts(setup, on('host'), { ...stage, backward: 10 }).down).toBe(0))

  test('is faster with a Grace host, slower from a drive, and zero on the device', () => {
    expect(offloadTime(setupOf('gb200'), on('host'), stage)).toBeLessThan(offloadTime(setup, on('host'), stage))
    expect(offloadTime(setup, on('nvme'), stage)).toBeGreaterThan(offloadTime(setup, on('host'), stage))
    expect(optimizerTime(setup, on('host'), stage)).toBeLessThan(optimizerTime(setup, on('device'), stage))
  })

  test('is a cause of its own', () => {
    expect(stepTime(setup, on('device')).causes.offload).toBe(0)
    const step = stepTime(setup, on('host'))
    expect(step.causes.offload).toBeGreaterThan(0)
    expect(step.total).toBeGreaterThan(stepTime(setup, on('device')).total)
  })
})
