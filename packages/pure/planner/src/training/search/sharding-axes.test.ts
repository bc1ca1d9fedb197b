import { expect, test } from 'vitest'
import { withOptimizer } from '../memory/optimizer.ts'
import { sampleJob } from '../sample-job.ts'
import { PLAIN } from '../strategy.ts'
import { RUNTIMES } from '../time/runtimes.ts'
import { schedulesOf, shardingsWithin } from './sharding-axes.ts'
import { WHOLE_SPACE } from './search.ts'

const fleet = { devices: 64, perNode: 8 }
const job = sampleJob('Llama-3.1-8B')
const torch = { fleet, setup: { job, machine: { runtime: RUNTIMES['fsdp-compiled'] } } }
const megatron = { fleet, setup: { job, machine: { runtime: RUNTIMES['megatron-core'] } } }

test('weights are sharded inside the node where the software can and the ranks reach beyond it', () => {
  const placed = { ...PLAIN, tensor: 2, data: 32 }
  expect(shardingsWithin(WHOLE_SPACE, torch)(placed)).toContainEqual({ shards: 'weights', shardGroup: 4 })
  expect(shardingsWithin(WHOLE_SPACE, megatron)(placed)).not.toContainEqual({ shards: 'weights', shardGroup: 4 })
  expect(shardingsWithin(WHOLE_SPACE, torch)({ ...PLAIN, tensor: 8, data: 8 }).some(({ shardGroup }) => shardGroup !== undefined)).toBe(
    false,
  )
})

test('ZeRO-2 is tried without a pipeline alone', () => {
  expect(shardingsWithin(WHOLE_SPACE, megatron)({ ...PLAIN, data: 64 })).toContainEqual({ shards: 'gradients' })
  expect(shardingsWithin(WHOLE_SPACE, megatron)({ ...PLAIN, pipeline: 2, data: 32 })).not.toContainEqual({ shards: 'gradients' })
})

test('of Muon, Megatron divides states alone', () => {
  const withMuon = ({ setup, ...limits }: typeof torch | typeof megatron) => ({
    ...limits,
    setup: { ...setup, job: { ...job, policy: withOptimizer(job.policy, 'muon') } },
  })
  const placed = { ...PLAIN, data: 64 }
  expect(shardingsWithin(WHOLE_SPACE, withMuon(megatron))(placed)).toEqual([{ shards: 'optimizer' }, { shards: 'nothing' }])
  expect(shardingsWithin(WHOLE_SPACE, withMuon(torch))(placed)).toEqual(shardingsWithin(WHOLE_SPACE, torch)(placed))
})

test('a search tries the schedules that the software has', () => {
  const place = { pipeline: 4, virtual: 1 }
  expect(schedulesOf(WHOLE_SPACE, RUNTIMES['fsdp-compiled'], place)).toEqual(['1f1b', 'zero-bubble', 'dualpipe'])
  expect(schedulesOf(WHOLE_SPACE, RUNTIMES['megatron-core'], place)).toEqual(['1f1b'])
  expect(schedulesOf({ fixed: { schedule: 'dualpipe' } }, RUNTIMES['megatron-core'], place)).toEqual(['dualpipe'])
})

test('weights stay whole in a pipeline, unless a spec says otherwise', () => {
  const placed = { ...PLAIN, pipeline: 2, data: 32 }
  expect(shardingsWithin(WHOLE_SPACE, torch)(placed)).toEqual([{ shards: 'optimizer' }, { shards: 'nothing' }])
  expect(shardingsWithin({ ...WHOLE_SPACE, fixed: { shards: 'weights' } }, torch)(placed)).toEqual([{ shards: 'weights' }])
})
