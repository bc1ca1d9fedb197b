// Queues with a known answer, made of the same replica as everything else: what the simulator must give when a request is nothing but a
// service time. One server takes one request at a time and its whole time is its prompt; many servers are one batch whose steps take
// the same time however many are in it.

import type { Percentiles } from './outcome.ts'
import { drawnArrivals, fixedLength, type Lengths } from './arrivals.ts'
import { type ReplicaRule, VLLM_RULE } from './replica-rule.ts'
import { simulateServing } from './simulate-serving.ts'

export type QueueInputs = {
  readonly utilization: number
  readonly count: number
  readonly seed: number
}

/** Mean service in tokens; a second. Whole tokens make a service time at most so much coarser. */
const SERVICE = 2000

const exponentialLength: Lengths = (random) => Math.max(1, Math.ceil(SERVICE * random.exponential()))

const BARE: ReplicaRule = {
  ...VLLM_RULE,
  cost: ({ prefillTokens }) => prefillTokens / SERVICE,
  tokensPerStep: Infinity,
  sequencesMost: 1,
  blocks: 1e6,
  ahead: false,
  longestRun: Infinity,
}

function simulatedQueue(
  replica: ReplicaRule,
  { utilization, count, seed, ...lengths }: QueueInputs & { prompt: Lengths; output: Lengths },
): Percentiles {
  const requests_per_s = utilization * replica.sequencesMost
  const arrivals = drawnArrivals({ requests_per_s, burstiness: 1, count, seed, ...lengths })
  return simulateServing({ replica, replicas: 1, router: 'round-robin' }, arrivals, { seed }).latency_s
}

/** Times in the system of M/M/1 with a service of one second. */
export const simulatedMM1 = (asked: QueueInputs): Percentiles =>
  simulatedQueue(BARE, { ...asked, prompt: exponentialLength, output: fixedLength(1) })

export const simulatedMD1 = (asked: QueueInputs): Percentiles =>
  simulatedQueue(BARE, { ...asked, prompt: fixedLength(SERVICE), output: fixedLength(1) })

export const simulatedMMc = (servers: number, asked: QueueInputs): Percentiles =>
  simulatedQueue(
    { ...BARE, sequencesMost: servers, cost: () => 1 / SERVICE },
    { ...asked, prompt: fixedLength(1), output: exponentialLength },
  )

/** The exact distribution of the wait (C. D. Crommelin, Post Office Electrical Engineers' Journal 26, 1934): time in M/D/1 not passed by
 * this share, with a service of one second. */
export function md1Quantile(utilization: number, share: number): number {
  const below = (wait: number): number => {
    let sum = 0
    let factorial = 1
    for (let k = 0; k <= wait; k += 1) {
      if (k > 0) factorial *= k
      const x = utilization * (k - wait)
      sum += (x ** k / factorial) * Math.exp(-x)
    }
    return (1 - utilization) * sum
  }
  let low = 0
  let high = 50
  while (high - low > 1e-6) {
    const middle = (low + high) / 2
    if (below(middle) < share) low = middle
    else high = middle
  }
  return 1 + low
}
