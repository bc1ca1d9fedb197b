import { describe, expect, test } from 'vitest'
import { RandomStream } from '../kernel/random-stream.ts'
import { traceOf } from '../traces/trace.ts'
import { drawnArrivals, fixedLength, logNormalLength, tracedArrivals } from './arrivals.ts'
import type { ClusterRule, TenantRule } from './cluster-rule.ts'
import { calibrate, replay } from './measured-log.ts'
import { type ReplicaRule, VLLM_RULE } from './replica-rule.ts'
import { simulateServing } from './simulate-serving.ts'
import { linearCost } from './step-cost.ts'

const cost = linearCost({ step_s: 8e-3, prefillToken_s: 3e-5, prefillPair_s: 1e-9, decodeSequence_s: 3e-5, decodeKey_s: 4e-8 })
const replica: ReplicaRule = { ...VLLM_RULE, cost, blocks: 4000, ahead: false }
const one: ClusterRule = { replica, replicas: 1, router: 'round-robin' }
const none = { requestsPerMinute: 1e9, tokensPerMinute: 1e9, concurrency: 1e9, kvTokens: 1e9 }
const wide = { maxRunningPerReplica: 8, maxQueued: 1e6, maxQueuedTokens: 1e9, deadline_s: 1e9 }

describe('tenants', () => {
  const flood = (tenants: readonly TenantRule[]) => {
    const served = [0, 0]
    const arrivals = drawnArrivals({
      requests_per_s: 200,
      burstiness: 1,
      prompt: logNormalLength(300, 0.5),
      output: logNormalLength(100, 0.5),
      count: 2000,
      seed: 1,
      tenants: [0.5, 0.5],
    })
    simulateServing({ ...one, admission: wide, tenants }, arrivals, {
      seed: 1,
      each: ({ tenant, prompt, output }) => {
        if (served[0]! + served[1]! < 300_000) served[tenant]! += prompt + output
      },
    })
    return served[1]! / served[0]!
  }

  test('that all wait are served by weight', () => {
    const [equal, triple] = [1, 3].map((weight) =>
      flood([
        { weight: 1, priority: 0 },
        { weight, priority: 0 },
      ]),
    )
    expect(Math.abs(equal! - 1)).toBeLessThan(0.1)
    expect(Math.abs(triple! / 3 - 1)).toBeLessThan(0.1)
  })

  test('of higher priority go first', () => {
    const ratio = flood([
      { weight: 1, priority: 1 },
      { weight: 1, priority: 0 },
    ])
    expect(ratio).toBeGreaterThan(20)
  })

  test('get back what they have used of their quota', () => {
    const tenants = [{ weight: 1, priority: 0, quota: { ...none, concurrency: 2 } }]
    const of = (gap: number) =>
      simulateServing(
        { ...one, tenants },
        tracedArrivals(traceOf(Array.from({ length: 50 }, (_, index) => ({ at_s: gap * index, prompt: 100, output: 10 })))),
        { seed: 1 },
      )
    expect(of(1).done).toBe(50)
    expect(of(0.001).refused.quota).toBeGreaterThan(30)
  })
})

test('a router that knows prefixes finds more of them', () => {
  const random = new RandomStream([8])
  const trace = traceOf(
    Array.from({ length: 1500 }, (_, index) => {
      const conversation = random.below(60)
      const parts = 2 + random.below(20)
      const hashes = Array.from({ length: parts }, (_part, depth) => conversation * 1000 + depth)
      return { at_s: index * 0.02, prompt: 32 * parts + 5, output: 1 + random.below(60), hashes }
    }),
    32,
  )
  const of = (router: ClusterRule['router']) =>
    simulateServing({ replica: { ...replica, blocks: 600, prefixTokens: 32 }, replicas: 4, router }, tracedArrivals(trace), {
      seed: 1,
      hashes: trace.hashes,
    })
  expect(of('kv-aware').cached).toBeGreaterThan(1.3 * of('two-choices').cached)
  expect(of('kv-aware').ttft_s.mean).toBeLessThan(of('two-choices').ttft_s.mean)
})

test('a replica that failed has lost its prefixes', () => {
  const trace = traceOf(
    Array.from({ length: 600 }, (_, index) => ({
      at_s: index,
      prompt: 330,
      output: 5,
      hashes: Array.from({ length: 10 }, (_part, depth) => depth),
    })),
    32,
  )
  const of = (rest: Partial<ClusterRule>) =>
    simulateServing({ ...one, replica: { ...replica, prefixTokens: 32 }, ...rest }, tracedArrivals(trace), {
      seed: 1,
      hashes: trace.hashes,
    })
  const computedOnce = of({}).prefilled_tokens
  const failing = of({ failure: { mtbf_s: 20, repair_s: 1 } })
  // Each of about 600 / 21 failures costs a whole prompt again.
  expect(failing.prefilled_tokens - computedOnce).toBeGreaterThan(15 * 320)
})

describe('keys that move to another replica', () => {
  const rows = [0, 0].map((at_s) => ({ at_s, prompt: 1000, output: 2 }))
  type Links = { readonly out_s: number; readonly in_s: number; readonly ports?: number }
  const felt = (count: number, { out_s, in_s, ports = 1 }: Links) => {
    const seen: { readonly ttft_s: number; readonly tpot_s: number }[] = []
    const link = (token_s: number) => ({ time_s: (tokens: number) => tokens * token_s, ports })
    const transfer = { send: link(out_s), receive: link(in_s), latency_s: 0.25 }
    const prefill = { replica: { ...replica, role: 'prefill' }, replicas: 1, transfer } as const
    simulateServing({ ...one, prefill }, tracedArrivals(traceOf(rows.slice(0, count))), {
      seed: 1,
      each: ({ ttft_s, latency_s }) => {
        seen.push({ ttft_s, tpot_s: latency_s - ttft_s })
      },
    })
    return seen
  }

  test('delay the first token, not the next one', () => {
    const [slow] = felt(1, { out_s: 1e-3, in_s: 0 })
    const [fast] = felt(1, { out_s: 0.5e-3, in_s: 0 })
    expect(slow!.ttft_s - fast!.ttft_s).toBeCloseTo(0.5, 9)
    expect(slow!.tpot_s).toBeCloseTo(fast!.tpot_s, 9)
    expect(felt(1, { out_s: 0, in_s: 1e-3 })[0]!.ttft_s).toBeCloseTo(slow!.ttft_s, 9)
  })

  test.each(['out_s', 'in_s'])('wait for each other, %s', (side) => {
    const apart = (ports: number): number => {
      const [first, second] = felt(2, { out_s: 0, in_s: 0, [side]: 1e-3, ports })
      return second!.ttft_s - first!.ttft_s
    }
    expect(apart(1)).toBeCloseTo(1, 1)
    expect(apart(4)).toBeCloseTo(0.25, 1)
  })
})

describe('autoscaling', () => {
  const rule = {
    min: 1,
    max: 8,
    tokensPerSecond: 5000,
    covered: 0.9,
    coldStart_s: 30,
    drain_s: 10,
    downAfter_s: 60,
    idle_s: 600,
  }
  const wave = (at: number): number => (at < 300 || at >= 900 ? 2 : 40)

  test('follows a wave with fewer replica hours than its peak needs', () => {
    const random = new RandomStream([5])
    const rows: { at_s: number; prompt: number; output: number }[] = []
    for (let at_s = 0; at_s < 1500; at_s += random.exponential() / wave(at_s)) rows.push({ at_s, prompt: 300, output: 150 })
    const of = (rest: Partial<ClusterRule>) =>
      simulateServing({ ...one, router: 'least-tokens', objectives: { ttft_s: 1, tpot_s: 0.05 }, ...rest }, tracedArrivals(traceOf(rows)), {
        seed: 1,
      })
    const scaled = of({ autoscale: { every_s: 5, rule } })
    const peak = of({ replicas: 6 })
    expect(scaled.done).toBe(rows.length)
    expect(scaled.replica_s).toBeLessThan(0.7 * peak.replica_s)
    expect(scaled.attained).toBeGreaterThan(0.9)
    expect(of({}).attained).toBeLessThan(scaled.attained)
  })
})

test('calibration on one half of a log foretells the other', () => {
  const arrivals = Array.from({ length: 160 }, (_, index) => ({
    at_s: 0.12 * index,
    prompt: 200 + 37 * (index % 50),
    output: 20 + 3 * (index % 40),
  }))
  const blank = arrivals.map((row) => ({ ...row, ttft_s: 0, tpot_s: 0, latency_s: 0 }))
  const made = replay(one, blank, { decode: 1.3, prefill: 0.8 })
  const log = arrivals.map((row, index) => ({ ...row, ...made[index]! }))
  const factors = calibrate(one, log, 80)
  const error = (of: { decode: number; prefill: number }): number =>
    replay(one, log, of)
      .slice(80)
      .reduce((sum, { latency_s }, index) => sum + Math.abs(Math.log(latency_s / log[80 + index]!.latency_s)) / 80, 0)
  expect(Math.abs(factors.decode / 1.3 - 1)).toBeLessThan(0.05)
  expect(error(factors)).toBeLessThan(0.01)
  expect(error({ decode: 1, prefill: 1 })).toBeGreaterThan(0.1)
})

test('lengths are those asked for', () => {
  const random = new RandomStream([1])
  const length = logNormalLength(500, 0.8)
  const mean = Array.from({ length: 100_000 }, () => length(random)).reduce((sum, value) => sum + value, 0) / 100_000
  expect(Math.abs(mean / 500 - 1)).toBeLessThan(0.02)
  expect(fixedLength(7)(random)).toBe(7)
})

for (const router of ['round-robin', 'two-choices', 'least-tokens'] as const)
  test(`${router}: steps computed on demand equal those with one event each`, () => {
    const traffic = { requests_per_s: 60, burstiness: 1.5, prompt: logNormalLength(300, 1, 4000), output: logNormalLength(200, 0.8, 2000) }
    const of = (rest: Partial<ClusterRule>) => {
      const outcome = simulateServing({ replica, replicas: 8, router, ...rest }, drawnArrivals({ ...traffic, count: 5000, seed: 1 }), {
        seed: 1,
      })
      // Means add up in another order.
      const { ttft_s, tpot_s, steps, busy, replica_s, output_tokens_per_s } = outcome
      return { ttft_s: ttft_s.p99, tpot_s: tpot_s.p99, steps, busy, replica_s, output_tokens_per_s }
    }
    expect(of({})).toEqual(of({ failure: { mtbf_s: 1e12, repair_s: 1 } }))
  })

describe('replicas with several lanes', () => {
  const arrivals = () =>
    drawnArrivals({
      requests_per_s: 30,
      burstiness: 1,
      prompt: logNormalLength(400, 0.9),
      output: logNormalLength(80, 0.9),
      count: 3000,
      seed: 4,
    })
  const laned: ClusterRule = { ...one, replica: { ...replica, lanes: 2 }, replicas: 2 }

  test('serve as one batch per lane, and count once', () => {
    const { replica_s, ...felt } = simulateServing(laned, arrivals(), { seed: 1 })
    const { replica_s: each_s, ...same } = simulateServing({ ...one, replicas: 4 }, arrivals(), { seed: 1 })
    expect(felt).toEqual(same)
    expect(replica_s).toBeCloseTo(each_s / 2, 6)
  })

  test('are scaled whole', () => {
    const rule = {
      min: 1,
      max: 3,
      tokensPerSecond: 4000,
      covered: 0.9,
      coldStart_s: 5,
      drain_s: 10,
      downAfter_s: 20,
      idle_s: Infinity,
    }
    const seen = new Set<number>()
    const policed: number[] = []
    const outcome = simulateServing(
      {
        ...laned,
        autoscale: {
          rule,
          every_s: 10,
          policy: ({ replicas, now }) => {
            policed.push(replicas)
            return { replicas: now < 40 ? 3 : 1, why: 'steady' }
          },
        },
      },
      arrivals(),
      { seed: 1, looked: (_, replicas) => seen.add(replicas) },
    )
    expect([...seen]).toEqual([3, 1])
    expect(policed.slice(0, 2)).toEqual([2, 3])
    expect(policed.at(-1)).toBe(1)
    expect(outcome.replica_s).toBeLessThan(3 * outcome.duration_s)
    expect(outcome.busy).toBeLessThanOrEqual(1)
    expect(outcome.done).toBe(3000)
  })

  test('fail whole', () => {
    const failure = { mtbf_s: 20, repair_s: 5 }
    const of = (lanes: number) => simulateServing({ ...one, replica: { ...replica, lanes }, replicas: 1, failure }, arrivals(), { seed: 2 })
    const [single, double] = [of(1), of(2)]
    expect(double.failed + double.retried).toBeGreaterThan(0)
    expect(double.done + double.failed).toBe(3000)
    // As long there, down for the same share: lanes do not make a replica that is half alive.
    expect(double.ttft_s.most).toBeGreaterThan(failure.repair_s / 2)
    expect(single.ttft_s.most).toBeGreaterThan(failure.repair_s / 2)
  })
})
