// The same requests through the simulator, with the engine as it was calibrated.

import { BLOCK_CHARACTERS, type RouterName } from '@ironlaw/policies/serving'
import { type MeasuredEngine, measuredReplica, simulateServing, tracedArrivals } from '@ironlaw/simulator/serving'
import type { Served } from './served.ts'
import { type Request, traceFrom } from './trace.ts'

export type Calibrated = {
  readonly engine: MeasuredEngine
  /** By how many engines of the machine are busy, from one on. */
  readonly sharing: readonly number[]
  /** Between a client and an engine, through the gateway. */
  readonly network_s: number
}

export type Wanted = { readonly replicas: number; readonly router: RouterName; readonly ready_s?: number }

/** `ready_s` after the first request the engines are there. */
export function simulated(
  calibrated: Calibrated,
  requests: readonly Request[],
  { replicas, router, ready_s = 0 }: Wanted,
): readonly Served[] {
  const { engine, sharing, network_s } = calibrated
  const { request_s } = engine.costs
  const { blockTokens, ...rule } = measuredReplica(engine)
  // A place keeps the one conversation that was last in it, so a cache holds as many as there are places.
  const blocks = engine.slots * Math.ceil(longest(requests) / blockTokens)
  const replica = { ...rule, blockTokens, blocks, prefixTokens: BLOCK_CHARACTERS }
  const trace = traceFrom(requests.map((request) => ({ ...request, at_s: Math.max(0, request.at_s - ready_s) })))
  const served: Served[] = []
  simulateServing({ replica, replicas, router, sharing }, tracedArrivals(trace), {
    seed: 1,
    hashes: trace.hashes,
    each: ({ serial, queue_s, ttft_s, latency_s, output }) => {
      const { at_s = 0 } = requests[serial] ?? {}
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

/** Requests a second when all come at once. */
export function capacity(calibrated: Calibrated, requests: readonly Request[], replicas: number): number {
  const together = requests.map((request) => ({ ...request, at_s: 0 }))
  const served = simulated(calibrated, together, { replicas, router: 'round-robin' })
  return served.length / Math.max(...served.map(({ latency_s }) => latency_s))
}

const longest = (requests: readonly Request[]): number => Math.max(...requests.map(({ prompt, output }) => prompt.length + output))
