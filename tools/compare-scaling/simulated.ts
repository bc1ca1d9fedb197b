// The hours in the simulator: a fixed number of replicas, our autoscaler, or another.

import {
  linearCost,
  type ClusterRule,
  type ReplicaRule,
  simulateServing,
  traceOf,
  tracedArrivals,
  VLLM_RULE,
} from '@ironlaw/simulator/serving'
import type { Hour } from './hours.ts'

/** A request is ten steps of 40 ms, eight at a time: 20 a second for one replica. */
export const STEP_S = 0.04
export const TOKENS = 10
const PROMPT_TOKENS = 5
export const REPLICA_REQUESTS_PER_S = 20
export const OBJECTIVE_S = 1
/** Of a cold start a minute, at twenty times the speed. */
const COLD_START_S = 3

export type Outcome = { readonly attained: number; readonly replica_s: number }

export type ReplicaPolicy = { readonly replicas: number; readonly autoscale?: NonNullable<ClusterRule['autoscale']> }

export const SCALE_RULE = {
  min: 1,
  tokensPerSecond: REPLICA_REQUESTS_PER_S * (PROMPT_TOKENS + TOKENS),
  covered: 0.9,
  coldStart_s: COLD_START_S,
  drain_s: 1,
  downAfter_s: 15,
  idle_s: Infinity,
} as const

const REPLICA: ReplicaRule = {
  ...VLLM_RULE,
  cost: linearCost({ step_s: STEP_S, prefillToken_s: 1e-5, prefillPair_s: 0, decodeSequence_s: 0, decodeKey_s: 0 }),
  sequencesMost: 8,
  blocks: 4096,
  ahead: false,
}

const ADMISSION = { maxRunningPerReplica: 8, maxQueued: 1000, maxQueuedTokens: 1e7, deadline_s: 600 }

export function simulateHour({ arrivals_s }: Hour, kept: ReplicaPolicy): Outcome {
  let good = 0
  const each = ({ latency_s }: { latency_s: number }): void => {
    if (latency_s <= OBJECTIVE_S) good += 1
  }
  const trace = traceOf(arrivals_s.map((at_s) => ({ at_s, prompt: PROMPT_TOKENS, output: TOKENS })))
  const cluster = { replica: REPLICA, router: 'least-tokens', admission: ADMISSION, ...kept } as const
  const { replica_s } = simulateServing(cluster, tracedArrivals(trace), { seed: 1, each })
  return { attained: good / arrivals_s.length, replica_s }
}
