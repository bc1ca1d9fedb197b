import { describe, expect, test } from 'vitest'
import { traceOf } from '../traces/trace.ts'
import { tracedArrivals } from './arrivals.ts'
import { measuredCost, measuredReplica } from './measured-engine.ts'
import { simulateServing } from './simulate-serving.ts'
import { emptyLoad } from './step-cost.ts'

const costs = {
  decode: [
    { sequences: 1, seconds: 2e-3 },
    { sequences: 4, seconds: 5e-3 },
    { sequences: 8, seconds: 5e-3 },
  ],
  decodeKey_s: 1e-6,
  prefillSequence_s: 3e-3,
  prefillToken_s: 4e-4,
  prefillPair_s: 0,
  request_s: 1e-3,
}

describe('a step of a measured engine', () => {
  const cost = measuredCost(costs)
  const decode = (decodeSequences: number): number => cost({ ...emptyLoad(), decodeSequences })
  for (const [sequences, seconds] of [
    [0, 0],
    [1, 2e-3],
    [2, 3e-3],
    [4, 5e-3],
    [6, 5e-3],
    [16, 10e-3],
  ] as const)
    test(`${sequences} answers`, () => expect(decode(sequences)).toBeCloseTo(seconds, 9))

  test('a prompt in addition to answers adds to it', () =>
    expect(cost({ prefillSequences: 1, prefillTokens: 100, prefillPairs: 5050, decodeSequences: 1, decodeKeys: 1000 })).toBeCloseTo(
      2e-3 + 1e-3 + 3e-3 + 40e-3,
      9,
    ))
})

test('replicas that share cores slow each other only while both step', () => {
  const replica = measuredReplica({ costs, slots: 8, context_tokens: 512, batch_tokens: 512 })
  const rows = [
    { at_s: 0, prompt: 10, output: 50 },
    { at_s: 1, prompt: 10, output: 50 },
    { at_s: 1, prompt: 10, output: 50 },
  ]
  const latencies = (sharing?: readonly number[]): readonly number[] => {
    const found: number[] = []
    const rule = { replica, replicas: 2, router: 'round-robin' as const, ...(sharing && { sharing }) }
    simulateServing(rule, tracedArrivals(traceOf(rows)), { seed: 1, each: ({ serial, latency_s }) => (found[serial] = latency_s) })
    return found
  }
  const [alone = 0, apart = 0] = latencies()
  const [first = 0, second = 0, third = 0] = latencies([1, 2])
  expect(first).toBeCloseTo(alone, 6)
  // The first of them began its first step alone.
  expect(second / apart).toBeGreaterThan(1.85)
  expect(second / apart).toBeLessThan(2)
  expect(third).toBeCloseTo(second, 2)
})

test('a request says how long it waited for its first step', () => {
  const replica = measuredReplica({ costs, slots: 1, context_tokens: 512, batch_tokens: 512 })
  const rows = [
    { at_s: 0, prompt: 10, output: 5 },
    { at_s: 0.001, prompt: 10, output: 5 },
  ]
  const waits: number[] = []
  const ends: number[] = []
  simulateServing({ replica, replicas: 1, router: 'round-robin' }, tracedArrivals(traceOf(rows)), {
    seed: 1,
    each: ({ serial, queue_s, latency_s, at }) => {
      waits[serial] = queue_s
      ends[serial] = at + latency_s - costs.request_s
    },
  })
  expect(waits[0]).toBe(0)
  expect(waits[1]).toBeCloseTo((ends[0] ?? 0) - 0.001, 9)
})
