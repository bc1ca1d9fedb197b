import { builtInCatalog } from '@ironlaw/catalog'
import { expect, test } from 'vitest'
import { candidateLayouts } from './candidates.ts'
import { servingMemory } from './memory.ts'
import { planServing } from './plan-serving.ts'
import { preparedReplica } from './prepared-replica.ts'
import { decodeWork } from './steady-state.ts'
import { replicaOf } from './test-replica.ts'

const copies = (model: string, joined: number): readonly number[] =>
  candidateLayouts(replicaOf({ model }).architecture, joined).flatMap(({ data }) => (data > 1 ? [data] : []))

test.each([
  ['DeepSeek-R1', 72, [2, 4, 8, 16, 32, 64, 72]],
  ['DeepSeek-R1', 8, [2, 4, 8, 16, 32, 64, 72]],
  // 144 places for 128 experts.
  ['Qwen3-30B-A3B', 72, [2, 4, 8, 16, 32, 64, 72]],
  ['gpt-oss-20b', 8, [2, 4, 8, 16, 32]],
  ['Mixtral-8x7B', 8, [2, 4, 8]],
  ['Llama-3.1-8B', 8, []],
])('%s where %i devices are joined', (model, joined, expected) => {
  expect(copies(model, joined)).toEqual(expected)
})

test('a rack holds 288 experts of DeepSeek-R1, four a device', () => {
  const rack = replicaOf({ model: 'DeepSeek-R1', accelerator: 'gb200', precision: 'nvfp4-experts', layout: { data: 72, expert: 72 } })
  const part = replicaOf({ model: 'DeepSeek-R1', accelerator: 'gb200', precision: 'nvfp4-experts', layout: { data: 64, expert: 64 } })
  expect(servingMemory(rack).weights_bytes).toBeCloseTo(servingMemory(part).weights_bytes, -3)
})

test('all-to-all inside a rack is cheaper than through ports', () => {
  const layout = { data: 32, expert: 32 }
  const exchange = (accelerator: string): number =>
    preparedReplica(replicaOf({ model: 'DeepSeek-R1', accelerator, precision: 'fp8', layout })).step.explained(decodeWork(2048, 1000))
      .exchange
  expect(exchange('b200') / exchange('gb200')).toBeGreaterThan(3)
})

test('the search finds experts over 16 ranks of a rack by itself, and a small load keeps small replicas', () => {
  const decoded = (requests_per_s: number) =>
    planServing(builtInCatalog, {
      name: 'r1',
      model: 'DeepSeek-R1',
      architecture: replicaOf({ model: 'DeepSeek-R1' }).architecture,
      traffic: { requests_per_s, input_tokens: 1000, output_tokens: 1000, cachedPrompt: 0 },
      objectives: { ttft_s: 2, tpot_s: 0.02, percentile: 'p90', probability: 0.5 },
      accelerators: ['gb200'],
      precisions: ['nvfp4-experts'],
      engine: 'tensorrt-llm',
      cache: 'bf16',
      spare: 1,
      goal: 'devices',
      disaggregated: 'only',
    }).plans[0]?.pools.at(-1)
  expect(decoded(400)).toMatchObject({ layout: { expert: 16 }, experts: { redundant: 0, exchange: 'all-to-all' } })
  expect(decoded(20)?.devicesPerReplica).toBeLessThanOrEqual(8)
})
