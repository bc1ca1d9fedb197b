import { builtInCatalog } from '@ironlaw/catalog'
import { describe, expect, test } from 'vitest'
import { machineFor } from '../../machine/machine-for.ts'
import { fitProbabilityOf } from '../memory/device-need.ts'
import { memoryAccount } from '../memory/memory.ts'
import { planTraining } from '../plan-training.ts'
import { RUNTIMES } from '../time/runtimes.ts'
import { sampleJob } from '../sample-job.ts'
import { mergedShards, search, searchShard, WHOLE_SPACE } from './search.ts'
import { searchWorker } from './search-worker.ts'
import { PLAIN, type Strategy } from '../strategy.ts'

const setupOf = (model: string, globalBatch = 512) => {
  const job = sampleJob(model, { globalBatch })
  return { job, machine: machineFor(builtInCatalog, { accelerator: 'h100-sxm', policy: job.policy, runtime: RUNTIMES['megatron-core'] }) }
}

const within = { fleet: { devices: 64, perNode: 8 }, limits: { memory_bytes: 62e9, probability: 0.9, keep: 7 } }

describe('parts of a search', () => {
  test.each(['Llama-3.1-70B', 'Mixtral-8x7B'])('of %s, walked apart in any order, find what one walk finds', (model) => {
    const setup = setupOf(model)
    const whole = search(setup, within)
    expect(whole.best).toHaveLength(7)
    expect(whole.tight.length).toBeGreaterThan(0)
    for (const of of [2, 3, 16]) {
      const parts = Array.from({ length: of }, (_, index) => searchShard(setup, { ...within, shard: { index, of } }))
      expect(mergedShards(parts.toReversed(), within.limits)).toEqual(whole)
    }
  })

  test('put the earlier of two that are as fast first, whichever part comes first', () => {
    const part = (at: number) => {
      const candidate = { strategy: { ...PLAIN, data: at }, step_s: 1, memory_bytes: 5, spread_bytes: 0, at }
      return { tried: 1, fitting: 1, best: [candidate], tight: [], tooLarge: [], smallest: candidate }
    }
    const merged = mergedShards([part(3), part(1), part(2)], { ...within.limits, keep: 2 })
    expect(merged.best.map(({ strategy }) => strategy.data)).toEqual([1, 2])
    expect(merged.smallest?.strategy.data).toBe(1)
  })

  test('are answered by a worker from messages that survive a copy', () => {
    const setup = setupOf('Llama-3.1-8B')
    const answer = searchWorker()
    const shard = (index: number) => ({ ...within, shard: { index, of: 2 } })
    const parts = [answer(structuredClone({ setup, search: shard(0) })), answer(structuredClone({ search: shard(1) }))]
    expect(mergedShards(structuredClone(parts), within.limits)).toEqual(search(setup, within))
  })

  test('need a setup with the first message', () => expect(() => searchWorker()({ search: within })).toThrow('carries the setup'))
})

describe('a layout within the range of the account', () => {
  const setup = setupOf('Llama-3.1-70B')

  test('is tight when it may fit, with less than the probability asked for', () => {
    const { best, tight, tooLarge } = search(setup, within)
    const chances = (candidates: typeof best): readonly number[] =>
      candidates.map(({ strategy, memory_bytes, spread_bytes }) => {
        const { likely, spread } = memoryAccount(setup, strategy).worst.device
        expect([memory_bytes, spread_bytes]).toEqual([expect.closeTo(likely, -2), expect.closeTo(spread, -2)])
        return fitProbabilityOf({ likely, spread }, 62e9)
      })
    for (const chance of chances(best)) expect(chance).toBeGreaterThanOrEqual(0.9)
    for (const chance of chances(tooLarge)) expect(chance).toBeLessThan(0.9)
    for (const chance of chances(tight)) {
      expect(chance).toBeLessThan(0.9)
      expect(chance).toBeGreaterThanOrEqual(0.2)
    }
  })

  // With 14,336 tokens about 84 GB of 85.5 GB.
  const fixed: Partial<Strategy> = {
    tensor: 8,
    context: 1,
    sequenceParallel: true,
    pipeline: 2,
    virtual: 1,
    microbatch: 1,
    shards: 'optimizer',
    recompute: 'none',
  }
  const planning = (sequence: number) =>
    planTraining(builtInCatalog, setup.machine, {
      name: 'tight',
      model: 'Llama-3.1-70B',
      job: { ...setup.job, sequence },
      tokens: 1e12,
      accelerator: 'h100-sxm',
      fleet: { devices: 64, perNode: 8 },
      fixed,
      keep: 3,
    })

  test.each([
    [4096, false, true],
    [14_336, true, true],
    [65_536, false, false],
  ])('with sequences of %d is planned when nothing else is left: tight %s, planned %s', (sequence, tight, planned) => {
    const found = planning(sequence)
    expect([found.tight, found.plans.length > 0]).toEqual([tight, planned])
  })
})

describe('an optimizer in host memory', () => {
  // Llama 3.1 405B on 64 devices: master, moments and gradients of 16 bytes a parameter are 101 GB for each, of the 220 GB that the largest host leaves (2 TiB for 8, AWS p5).
  const setup = setupOf('Llama-3.1-405B', 64)
  const searchWithHost = (memory: number) =>
    search(
      { ...setup, machine: { ...setup.machine, host: { ...setup.machine.host, memory } } },
      { ...within, space: { ...WHOLE_SPACE, fixed: { optimizerOn: 'host', shards: 'weights', recompute: 'full' } } },
    )

  test('has a share of what the catalog says of the host', () => expect(setup.machine.host.memory).toBeCloseTo((0.8 * 2 * 2 ** 40) / 8, -3))

  test('is refused where hosts are too small, with what they would need', () => {
    expect(searchWithHost(200e9).fitting).toBeGreaterThan(0)
    const { fitting, host_bytes = 0, tooLarge } = searchWithHost(50e9)
    expect([fitting, tooLarge.length]).toEqual([0, 0])
    expect(host_bytes / ((16 * 405.85e9) / 64)).toBeCloseTo(1, 1)
  })
})

test('a group of ranks that shard can be named without saying what they shard', () => {
  const { best } = search(setupOf('Llama-3.1-8B', 128), { ...within, space: { ...WHOLE_SPACE, fixed: { shardGroup: 8 } } })
  expect(best).toHaveLength(7)
  for (const { strategy } of best) expect([strategy.shardGroup, strategy.shards]).toEqual([8, expect.not.stringMatching('nothing')])
})
