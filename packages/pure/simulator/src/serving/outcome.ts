// What users felt and what it took.

import type { ClusterRule } from './cluster-rule.ts'
import { LogHistogram } from './log-histogram.ts'
import type { SimulatedReplica } from './simulated-replica.ts'
import type { RequestTable } from './request-table.ts'

export type RefusalReason = 'quota' | 'queue-full' | 'tokens-full' | 'deadline' | 'too-long'

export type Percentiles = {
  readonly mean: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly most: number
}

export type ServingOutcome = {
  readonly requests: number
  readonly done: number
  /** Lost with their replica after the first token. */
  readonly failed: number
  readonly refused: Readonly<Record<RefusalReason, number>>
  /** Sent to another replica after theirs failed. */
  readonly retried: number
  /** From the first arrival to the last end. */
  readonly duration_s: number
  readonly requests_per_s: number
  readonly output_tokens_per_s: number
  readonly ttft_s: Percentiles
  readonly tpot_s: Percentiles
  readonly latency_s: Percentiles
  /** Share of all requests, refused ones included, done within the objectives; 1 when there are none. */
  readonly attained: number
  readonly preemptions: number
  readonly prefilled_tokens: number
  readonly decoded_tokens: number
  /** Blocks that requests still hold at the end: none, or one was lost. */
  readonly blocks_in_use: number
  /** Of prompt tokens, found in the prefix cache. */
  readonly cached: number
  readonly steps: number
  /** Share of replica time in which steps ran. */
  readonly busy: number
  readonly replica_s: number
  readonly ttft: LogHistogram
  readonly tpot: LogHistogram
}

/** A finished request, for the optional callback; the object is reused for the next. */
export type FinishedRequest = {
  serial: number
  at: number
  /** Until the first step with tokens of its prompt began. */
  queue_s: number
  ttft_s: number
  latency_s: number
  prompt: number
  output: number
  tenant: number
  replica: number
}

export class Measures {
  readonly ttft = new LogHistogram()
  readonly tpot = new LogHistogram()
  readonly latency = new LogHistogram()
  readonly refused: Record<RefusalReason, number> = { quota: 0, 'queue-full': 0, 'tokens-full': 0, deadline: 0, 'too-long': 0 }
  arrived = 0
  failed = 0
  retried = 0
  /** When the latest was done. */
  last = 0
  private good = 0
  private first = Number.NaN
  private outputs = 0
  private readonly objectives: ClusterRule['objectives']
  private readonly request_s: number
  private readonly each: ((finished: Readonly<FinishedRequest>) => void) | undefined
  private readonly finished: FinishedRequest = {
    serial: 0,
    at: 0,
    queue_s: 0,
    ttft_s: 0,
    latency_s: 0,
    prompt: 0,
    output: 0,
    tenant: 0,
    replica: 0,
  }

  constructor(rule: ClusterRule, each: ((finished: Readonly<FinishedRequest>) => void) | undefined) {
    this.objectives = rule.objectives
    this.request_s = (rule.prefill?.replica ?? rule.replica).request_s
    this.each = each
  }

  arrive(at: number): void {
    if (this.arrived === 0) this.first = at
    this.arrived += 1
  }

  recordFinished(table: RequestTable, slot: number, now: number): void {
    const at = table.at[slot]!
    const output = table.output[slot]!
    const firstToken = table.firstToken[slot]!
    const ttft = firstToken - at + this.request_s
    const tpot = output > 1 ? (now - firstToken) / (output - 1) : 0
    this.ttft.add(ttft)
    if (output > 1) this.tpot.add(tpot)
    this.latency.add(now - at + this.request_s)
    this.outputs += output
    this.last = Math.max(this.last, now)
    if (!this.objectives || (ttft <= this.objectives.ttft_s && tpot <= this.objectives.tpot_s)) this.good += 1
    if (this.each) {
      const { finished } = this
      finished.serial = table.serial[slot]!
      finished.at = at
      finished.queue_s = table.began[slot]! - at
      finished.ttft_s = ttft
      finished.latency_s = now - at + this.request_s
      finished.prompt = table.prompt[slot]!
      finished.output = output
      finished.tenant = table.tenant[slot]!
      finished.replica = table.replica[slot]!
      this.each(finished)
    }
  }

  /** Of `lane_s` they were there for, and of the same in whole replicas. */
  outcome(
    replicas: readonly SimulatedReplica[],
    { lane_s, replica_s }: { readonly lane_s: number; readonly replica_s: number },
  ): ServingOutcome {
    const sum = (of: (replica: SimulatedReplica) => number): number => replicas.reduce((total, replica) => total + of(replica), 0)
    const duration = Math.max(0, this.last - this.first)
    const prefilled = sum(({ prefilled: tokens }) => tokens)
    const found = sum(({ found: tokens }) => tokens)
    return {
      requests: this.arrived,
      done: this.latency.count,
      failed: this.failed,
      refused: this.refused,
      retried: this.retried,
      duration_s: duration,
      requests_per_s: this.latency.count / duration,
      output_tokens_per_s: this.outputs / duration,
      ttft_s: percentiles(this.ttft),
      tpot_s: percentiles(this.tpot),
      latency_s: percentiles(this.latency),
      attained: this.arrived === 0 ? 1 : this.good / this.arrived,
      preemptions: sum(({ preemptions }) => preemptions),
      prefilled_tokens: prefilled,
      decoded_tokens: sum(({ decoded }) => decoded),
      blocks_in_use: sum(({ blocksInUse }) => blocksInUse),
      cached: prefilled + found === 0 ? 0 : found / (prefilled + found),
      steps: sum(({ steps }) => steps),
      busy: lane_s === 0 ? 0 : sum(({ busy_s }) => busy_s) / lane_s,
      replica_s,
      ttft: this.ttft,
      tpot: this.tpot,
    }
  }
}

const percentiles = (histogram: LogHistogram): Percentiles => ({
  mean: histogram.mean,
  p50: histogram.quantile(0.5),
  p90: histogram.quantile(0.9),
  p99: histogram.quantile(0.99),
  most: histogram.most,
})
