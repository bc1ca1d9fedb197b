// Requests as they were asked of real engines, through engines as they were calibrated.

import type { RouterName } from '@ironlaw/policies/serving'
import { traceOf, type TraceRow } from '../traces/trace.ts'
import { tracedArrivals } from './arrivals.ts'
import { type MeasuredEngine, measuredReplica } from './measured-engine.ts'
import type { AccountedRequest } from './served.ts'
import { simulateServing } from './simulate-serving.ts'

export type CalibratedEngine = {
  readonly engine: MeasuredEngine
  /** By how many engines of the machine are busy, from one on; empty where each has a machine of its own. */
  readonly sharing: readonly number[]
  /** Between a client and an engine, in addition to the engine's own time for a request. */
  readonly network_s: number
}

export type ReplicaSetup = {
  readonly replicas: number
  readonly router: RouterName
  /** Seconds from the first request until the engines are ready; ready from the start where absent. */
  readonly ready_s?: number
  /** Of a prefix that rows name by a hash. */
  readonly hashTokens?: number
}

/** In the order of the rows, which is that of their arrival; none is empty. */
export function simulatedRequests(
  { engine, sharing, network_s }: CalibratedEngine,
  rows: readonly TraceRow[],
  { replicas, router, ready_s = 0, hashTokens = 0 }: ReplicaSetup,
): readonly AccountedRequest[] {
  const { request_s } = engine.costs
  const replica = { ...measuredReplica(engine), ...(hashTokens > 0 && { prefixTokens: hashTokens }) }
  const trace = traceOf(
    rows.map((row) => ({ ...row, at_s: Math.max(0, row.at_s - ready_s) })),
    hashTokens,
  )
  const served: AccountedRequest[] = []
  simulateServing({ replica, replicas, router, ...(sharing.length > 0 && { sharing }) }, tracedArrivals(trace), {
    seed: 1,
    hashes: trace.hashes,
    each: ({ serial, queue_s, ttft_s, latency_s, output }) => {
      const { at_s = 0 } = rows[serial] ?? {}
      const cold = Math.max(0, ready_s - at_s)
      const beside = network_s + cold
      served[serial] = {
        at_s,
        output,
        ttft_s: ttft_s + beside,
        latency_s: latency_s + beside,
        causes: {
          'cold start': cold,
          retries: 0,
          network: network_s + request_s,
          queue: queue_s,
          prefill: ttft_s - request_s - queue_s,
          decode: latency_s - ttft_s,
        },
      }
    },
  })
  return served
}
