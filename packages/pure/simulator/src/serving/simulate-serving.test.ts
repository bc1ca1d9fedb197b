import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { RandomStream } from '../kernel/random-stream.ts'
import { traceOf } from '../traces/trace.ts'
import { drawnArrivals, fixedLength, logNormalLength, tracedArrivals } from './arrivals.ts'
import type { ClusterRule } from './cluster-rule.ts'
import { type NaiveRequest, naiveReplica } from './naive-replica.ts'
import type { FinishedRequest } from './outcome.ts'
import { type ReplicaRule, VLLM_RULE } from './replica-rule.ts'
import { simulateServing } from './simulate-serving.ts'
import { linearCost } from './step-cost.ts'

const cost = linearCost({ step_s: 8e-3, prefillToken_s: 3e-5, prefillPair_s: 1e-9, decodeSequence_s: 3e-5, decodeKey_s: 4e-8 })
const replica: ReplicaRule = { ...VLLM_RULE, cost, blocks: 4000 }
const one: ClusterRule = { replica, replicas: 1, router: 'round-robin' }

const traffic = (requests_per_s: number, count: number, seed = 1) =>
  drawnArrivals({
    requests_per_s,
    burstiness: 2,
    prompt: logNormalLength(300, 1, 2000),
    output: logNormalLength(150, 1, 1000),
    count,
    seed,
    tenants: [0.7, 0.3],
    adapters: 5,
  })

/** Requests that share prefixes of 32 tokens a part, as conversations do. */
function sharing(count: number, seed: number) {
  const random = new RandomStream([seed])
  return traceOf(
    Array.from({ length: count }, (_, index) => {
      const conversation = random.below(12)
      const parts = 1 + random.below(20)
      const hashes = Array.from({ length: parts }, (_part, depth) => conversation * 1000 + depth)
      return { at_s: index * 0.03, prompt: 32 * parts + random.below(32), output: 1 + random.below(200), hashes }
    }),
    32,
  )
}

/** 128 KiB a token at 10 GB/s. */
const sent = (tokens: number): number => tokens * 13.1e-6

const RULES: Readonly<Record<string, Partial<ClusterRule> & { readonly own?: Partial<ReplicaRule> }>> = {
  plain: {},
  'blocks are short': { own: { blocks: 260 } },
  'blocks are short and lost': { own: { blocks: 260, preemption: { by: 'recompute', keeps: false } } },
  'blocks are short and swapped': { own: { blocks: 260, preemption: { by: 'swap', block_s: 1e-5 } } },
  'static batches': { own: { batching: 'static' } },
  'scheduled at the last moment': { own: { ahead: false } },
  speculation: { own: { blocks: 300, speculation: { drafted: 4, acceptance: 0.7, draft_s: 1e-3 } } },
  adapters: { own: { adapters: { slots: 2, load_s: 0.02 } } },
  disaggregated: {
    prefill: {
      replica: { ...replica, role: 'prefill' },
      replicas: 2,
      transfer: { send: { time_s: sent, ports: 1 }, receive: { time_s: sent, ports: 1 }, latency_s: 1e-3 },
    },
  },
  'priorities and fair waiting': {
    own: { blocks: 260 },
    admission: { maxRunningPerReplica: 12, maxQueued: 50, maxQueuedTokens: 40_000, deadline_s: 20 },
    tenants: [
      { weight: 1, priority: 1, quota: { requestsPerMinute: 300, tokensPerMinute: 200_000, concurrency: 40, kvTokens: 60_000 } },
      { weight: 3, priority: 0 },
    ],
  },
  failures: { replicas: 3, failure: { mtbf_s: 10, repair_s: 4 }, router: 'two-choices' },
  autoscaled: {
    replicas: 1,
    router: 'least-tokens',
    autoscale: {
      every_s: 2,
      rule: {
        min: 1,
        max: 6,
        tokensPerSecond: 4000,
        covered: 0.9,
        coldStart_s: 8,
        drain_s: 10,
        downAfter_s: 20,
        idle_s: 60,
      },
    },
  },
}

describe('a deployment', () => {
  for (const [name, { own, ...rest }] of Object.entries(RULES)) {
    const rule: ClusterRule = { ...one, ...rest, replica: { ...replica, ...own } }
    test(`ends every request once and gives every block back: ${name}`, () => {
      const seen = new Set<number>()
      let outputs = 0
      const each = ({ serial, output }: Readonly<FinishedRequest>): void => {
        expect(seen.has(serial)).toBe(false)
        seen.add(serial)
        outputs += output
      }
      const outcome = simulateServing(rule, traffic(12, 600), { seed: 3, each })
      const refused = Object.values(outcome.refused).reduce((sum, count) => sum + count, 0)
      expect(outcome.done + outcome.failed + refused).toBe(600)
      expect(seen.size).toBe(outcome.done)
      expect(outcome.blocks_in_use).toBe(0)
      if (outcome.failed === 0 && outcome.retried === 0) expect(outcome.decoded_tokens).toBe(outputs)
    })

    test(`is the same for the same seed: ${name}`, () => {
      const run = (seed: number) => JSON.stringify(simulateServing(rule, traffic(12, 300, seed), { seed }))
      expect(run(5)).toBe(run(5))
      expect(run(6)).not.toBe(run(5))
    })
  }

  test('does what each rule is for', () => {
    const of = (name: string) => {
      const { own, ...rest } = RULES[name] ?? {}
      return simulateServing({ ...one, ...rest, replica: { ...replica, ...own } }, traffic(12, 600), { seed: 3 })
    }
    expect(of('plain').preemptions).toBe(0)
    expect(of('blocks are short').preemptions).toBeGreaterThan(0)
    expect(of('blocks are short and swapped').prefilled_tokens).toBe(of('plain').prefilled_tokens)
    expect(of('blocks are short').prefilled_tokens).toBeGreaterThan(of('plain').prefilled_tokens)
    expect(of('blocks are short').prefilled_tokens).toBeLessThan(of('blocks are short and lost').prefilled_tokens)
    expect(of('speculation').steps).toBeLessThan(of('plain').steps)
    expect(of('static batches').ttft_s.p90).toBeGreaterThan(2 * of('plain').ttft_s.p90)
    expect(of('scheduled at the last moment').ttft_s.mean).toBeLessThan(of('plain').ttft_s.mean)
    expect(of('adapters').ttft_s.mean).toBeGreaterThan(of('plain').ttft_s.mean)
    expect(of('disaggregated').tpot_s.p99).toBeLessThan(of('plain').tpot_s.p99)
    const failing = of('failures')
    expect(failing.failed).toBeGreaterThan(0)
    expect(failing.retried).toBeGreaterThan(0)
    const waiting = of('priorities and fair waiting').refused
    expect(waiting['queue-full'] + waiting['tokens-full'] + waiting.deadline + waiting.quota).toBeGreaterThan(0)
    expect(of('autoscaled').replica_s).toBeGreaterThan(of('autoscaled').duration_s)
    expect(of('autoscaled').ttft_s.p90).toBeLessThan(of('blocks are short').ttft_s.p90)
  })

  property.prop([fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 60, max: 600 }), fc.boolean()], { numRuns: 25 })(
    'advances runs of steps as if step by step',
    (seed, blocks, ahead) => {
      const finished = (longestRun: number): number[][] => {
        const rows: number[][] = []
        const each = ({ serial, ttft_s, latency_s }: Readonly<FinishedRequest>): void => {
          rows[serial] = [ttft_s, latency_s]
        }
        simulateServing({ ...one, replica: { ...replica, blocks, ahead, longestRun } }, traffic(9, 120, seed), { seed, each })
        return rows
      }
      const stepped = finished(1)
      finished(100_000).forEach((row, serial) => row.forEach((value, part) => expect(value).toBeCloseTo(stepped[serial]![part]!, 9)))
    },
  )

  property.prop([fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 150, max: 500 }), fc.boolean()], { numRuns: 25 })(
    'schedules as the plain model does, request by request and step by step',
    (seed, blocks, ahead) => {
      const random = new RandomStream([seed])
      let at_s = 0
      const requests: NaiveRequest[] = Array.from({ length: 60 }, () => {
        at_s += 0.1 * random.exponential()
        return { at_s, prompt: 1 + random.below(1500), output: 1 + random.below(300) }
      })
      const rule: ReplicaRule = {
        ...replica,
        blocks,
        ahead,
        preemption: { by: 'recompute', keeps: false },
        sequencesMost: 12,
        tokensPerStep: 512,
      }
      const rows: number[][] = []
      simulateServing({ ...one, replica: rule }, tracedArrivals(traceOf(requests)), {
        seed,
        each: ({ serial, ttft_s, latency_s }) => {
          rows[serial] = [ttft_s, latency_s]
        },
      })
      naiveReplica(rule, requests).forEach((row, serial) =>
        row.forEach((value, part) => expect(rows[serial]![part]!).toBeCloseTo(value, 7)),
      )
    },
  )

  test('finds shared prefixes, and evicts them when blocks are short', () => {
    const trace = sharing(400, 1)
    const of = (own: Partial<ReplicaRule>) =>
      simulateServing({ ...one, replica: { ...replica, ...own } }, tracedArrivals(trace), { seed: 1, hashes: trace.hashes })
    const [without, ample, short] = [of({}), of({ prefixTokens: 32 }), of({ prefixTokens: 32, blocks: 180 })]
    expect(without.cached).toBe(0)
    expect(ample.cached).toBeGreaterThan(0.8)
    expect(short.cached).toBeLessThan(ample.cached)
    expect(ample.ttft_s.mean).toBeLessThan(without.ttft_s.mean)
    for (const outcome of [ample, short]) {
      expect(outcome.done).toBe(400)
      expect(outcome.blocks_in_use).toBe(0)
    }
  })

  test('refuses what can never fit', () => {
    const long = drawnArrivals({ requests_per_s: 1, burstiness: 1, prompt: fixedLength(70_000), output: fixedLength(1), count: 3, seed: 1 })
    expect(simulateServing(one, long, { seed: 1 }).refused['too-long']).toBe(3)
  })
})
