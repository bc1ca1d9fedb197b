import { describe, expect, test } from 'vitest'
import { openState } from './open-state.ts'
import { preparedReplica } from './prepared-replica.ts'
import { decodeWork, steadyState } from './steady-state.ts'
import { replicaOf } from './test-replica.ts'

const option = preparedReplica(replicaOf())
const { step } = option
const LENGTHS = { input: 1000, output: 200 }
const at = (concurrency: number) => steadyState(option, { ...LENGTHS, concurrency })

describe('constant concurrency', () => {
  test('a single request does not wait', () => {
    expect(at(1).tpot_s).toBeCloseTo(step.time(decodeWork(1, 1100)), 6)
  })

  test("keeps Little's law: concurrency is rate times time in the system", () => {
    const { requests_per_s, ttft_s, tpot_s } = at(32)
    expect(requests_per_s * (ttft_s + (LENGTHS.output - 1) * tpot_s)).toBeCloseTo(32, 0)
  })

  test('throughput and time per token both rise with concurrency, until the cache is full', () => {
    expect(at(64).output_tokens_per_s).toBeGreaterThan(at(8).output_tokens_per_s)
    expect(at(64).tpot_s).toBeGreaterThan(at(8).tpot_s)
    expect(at(5000).output_tokens_per_s).toBeCloseTo(at(50_000).output_tokens_per_s, 3)
    expect(at(50_000).ttft_s).toBeGreaterThan(at(5000).ttft_s)
  })

  test('where prompts go first, equal requests delay each other by half', () => {
    const first = preparedReplica(replicaOf({ engine: 'sglang' }))
    const withSpread = (spread: number) => steadyState(first, { ...LENGTHS, concurrency: 32, spread })
    expect(withSpread(0).tpot_s).toBeLessThan(withSpread(1).tpot_s)
    expect(withSpread(0).ttft_s).toBeGreaterThan(withSpread(1).ttft_s)
  })
})

describe('random arrivals', () => {
  const open = (requests_per_s: number) => openState(option, { ...LENGTHS, requests_per_s })

  test('percentiles are in order and grow with the rate', () => {
    const { ttft_s, tpot_s } = open(10)
    expect(ttft_s.p50).toBeLessThanOrEqual(ttft_s.p90)
    expect(ttft_s.p90).toBeLessThanOrEqual(ttft_s.p99)
    expect(tpot_s.p90).toBeGreaterThan(tpot_s.p50)
    expect(open(20).ttft_s.p99).toBeGreaterThan(ttft_s.p99)
    expect(open(20).tpot_s.mean).toBeGreaterThan(tpot_s.mean)
  })

  test('as many decode as come in the time that each takes', () => {
    const { decoding, tpot_s } = open(10)
    expect(decoding).toBeCloseTo(10 * LENGTHS.output * tpot_s.mean, 0)
  })

  test('more than a replica can serve has no end', () => {
    expect(open(1000).saturated).toBe(true)
    expect(open(1000).ttft_s.mean).toBe(Infinity)
    expect(open(1).saturated).toBe(false)
  })
})
