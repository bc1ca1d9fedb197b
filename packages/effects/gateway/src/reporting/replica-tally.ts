// What one replica did since the gateway began, in totals that only rise: the control plane takes differences.

import { LATENCY_BUCKETS, latencyBucket } from '@ironlaw/contracts'
import type { ReplicaTotals } from '@ironlaw/contracts/gateway-sync'

type Sums = { count: number; log_sum: number; readonly buckets: number[] }

const newSums = (): Sums => ({ count: 0, log_sum: 0, buckets: Array.from({ length: LATENCY_BUCKETS }, () => 0) })

/** Answers to copies of requests, compared with those that clients got. */
export type OutputTally = NonNullable<ReplicaTotals['outputs']>

export type ReplicaTally = {
  answers: number
  errors: number
  /** Requests that it called invalid, and no other replica answered either. */
  refused: number
  /** Answers without a single character. */
  empty: number
  tokens: number
  readonly ttft: Sums
  readonly tpot: Sums
  readonly outputs: OutputTally
  /** On the gateway's own clock. */
  heardAt: number | undefined
}

export const newTally = (): ReplicaTally => ({
  answers: 0,
  errors: 0,
  refused: 0,
  empty: 0,
  tokens: 0,
  ttft: newSums(),
  tpot: newSums(),
  outputs: { pairs: 0, length_log_sum: 0, compared: 0, same: 0, agreed: 0 },
  heardAt: undefined,
})

/** Times on the gateway's clock; `completion` tokens of `tokens` were generated. */
export type AnswerTimes = {
  readonly sentAt: number
  readonly firstByteAt: number
  readonly endedAt: number
  readonly tokens: number
  readonly completion: number
  readonly isEmpty: boolean
}

/** Shorter than any answer, and still a number with a logarithm. */
const LEAST_S = 1e-6

export function tallyAnswer(tally: ReplicaTally, { sentAt, firstByteAt, endedAt, tokens, completion, isEmpty }: AnswerTimes): void {
  tally.answers += 1
  if (isEmpty) tally.empty += 1
  tally.tokens += tokens
  tally.heardAt = endedAt
  add(tally.ttft, firstByteAt - sentAt)
  if (completion > 1) add(tally.tpot, (endedAt - firstByteAt) / (completion - 1))
}

function add(sums: Sums, seconds: number): void {
  const log_s = Math.log(Math.max(LEAST_S, seconds))
  const bucket = latencyBucket(log_s)
  sums.count += 1
  sums.log_sum += log_s
  sums.buckets[bucket] = (sums.buckets[bucket] ?? 0) + 1
}
