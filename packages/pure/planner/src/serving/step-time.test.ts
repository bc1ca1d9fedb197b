import { ENGINE_STEP_CAUSES } from '@ironlaw/contracts'
import { describe, expect, test } from 'vitest'
import { servingInterval } from './interval.ts'
import { decodeWork, prefillWork } from './steady-state.ts'
import { compiledStep } from './step-time.ts'
import { replicaOf } from './test-replica.ts'

const MIXED = { prefillSequences: 1, prefillTokens: 512, prefillPairs: 131_328, decodeSequences: 40, decodeKeys: 60_000 }

describe('one step', () => {
  const step = compiledStep(replicaOf())

  test('is the sum of its causes', () => {
    for (const work of [decodeWork(1, 1000), decodeWork(200, 3000), prefillWork(2048, 1), MIXED]) {
      const explained = step.explained(work)
      expect(ENGINE_STEP_CAUSES.reduce((sum, cause) => sum + explained[cause], 0)).toBeCloseTo(explained.total, 9)
      expect(step.time(work)).toBeCloseTo(explained.total, 9)
    }
  })

  test('grows with sequences, with their lengths and with prompts', () => {
    expect(step.time(decodeWork(64, 1000))).toBeGreaterThan(step.time(decodeWork(8, 1000)))
    expect(step.time(decodeWork(64, 8000))).toBeGreaterThan(step.time(decodeWork(64, 1000)))
    expect(step.time(MIXED)).toBeGreaterThan(step.time(decodeWork(40, 1500)))
    expect(step.time(prefillWork(4096, 1))).toBeGreaterThan(2 * step.time(prefillWork(1024, 1)))
  })

  test('costs microseconds', () => {
    const rounds = 20_000
    for (let round = 0; round < rounds; round += 1) step.time({ ...MIXED, decodeKeys: 60_000 + round })
    const start = performance.now()
    for (let round = 0; round < rounds; round += 1) step.time({ ...MIXED, decodeKeys: 60_000 + round })
    expect((performance.now() - start) / rounds).toBeLessThan(0.05)
  })
})

describe('a speculating step', () => {
  const plain = compiledStep(replicaOf())
  const drafting = compiledStep({ ...replicaOf(), speculation: { method: 'mtp', drafted: 3, acceptance: 0.7 } })
  const faster = (sequences: number): number => {
    const work = decodeWork(sequences, 100)
    return plain.time(work) / (drafting.time(work) / drafting.gain)
  }

  test('brings (1 - a^4) / (1 - a) tokens, is the sum of its causes and drafts', () => {
    expect(drafting.gain).toBeCloseTo(2.533)
    const explained = drafting.explained(decodeWork(8, 1000))
    expect(ENGINE_STEP_CAUSES.reduce((sum, cause) => sum + explained[cause], 0)).toBeCloseTo(explained.total, 9)
    expect(drafting.time(decodeWork(8, 1000))).toBeCloseTo(explained.total, 9)
    expect(explained.draft).toBeGreaterThan(0)
  })

  test('pays while weights are what is read, and no longer when arithmetic binds', () => {
    expect(faster(1)).toBeGreaterThan(1.7)
    expect(faster(1)).toBeLessThan(drafting.gain)
    expect(faster(512)).toBeLessThan(1)
  })

  test('leaves prompts as they are', () => {
    expect(drafting.time(prefillWork(2048, 1))).toBe(plain.time(prefillWork(2048, 1)))
  })
})

// vLLM's blog on FP8 caches gives 6.44 ms + 43.7 ns per cached token for batch 1 on H100 (vLLM 0.19.1).
test.each([
  [1000, 6.48e-3],
  [32_000, 7.84e-3],
])('Llama 3.1 8B decodes over %i tokens as measured, within the stated interval', (context, measured) => {
  const replica = replicaOf()
  const { low, high } = servingInterval(replica, 'tpot_s', compiledStep(replica).time(decodeWork(1, context)))
  expect(measured).toBeGreaterThan(low)
  expect(measured).toBeLessThan(high)
})

test('tensor parallelism makes a step shorter, but not as many times as it has ranks', () => {
  const time = (tensor: number): number =>
    compiledStep(replicaOf({ model: 'Llama-3.1-70B', layout: { tensor } })).time(decodeWork(16, 2000))
  expect(time(8)).toBeLessThan(time(4))
  expect(time(8)).toBeGreaterThan(time(4) / 2)
})

test('copies of the attention share the experts: each reads a part of them', () => {
  const experts = (data: number): number =>
    compiledStep(
      replicaOf({ model: 'DeepSeek-R1', accelerator: 'h200-sxm', precision: 'fp8-block', layout: { data, expert: data } }),
    ).explained(decodeWork(64, 2000)).experts
  expect(experts(8)).toBeLessThan(experts(4))
})

test('a prompt stays on one copy of the attention, and the others wait for it', () => {
  const step = compiledStep(
    replicaOf({ model: 'DeepSeek-R1', accelerator: 'h200-sxm', precision: 'fp8-block', layout: { data: 8, expert: 8 } }),
  )
  const one = step.explained(prefillWork(4000, 1))
  const eight = step.explained(prefillWork(4000, 8))
  expect(one.products).toBeCloseTo(eight.products, 12)
  expect(one.attention).toBeCloseTo(eight.attention, 12)
  expect(one.experts).toBeLessThan(eight.experts)
})
