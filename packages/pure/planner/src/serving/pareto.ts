// Throughput per device against interactivity: the points of all replicas over all concurrencies that no other point beats in both.

import type { PreparedReplica } from './prepared-replica.ts'
import { devicesOf, layoutText } from './layout.ts'
import { requestsHeld } from './memory.ts'
import { type Lengths, steadyState } from './steady-state.ts'

export type FrontPoint = {
  readonly accelerator: string
  readonly precision: string
  readonly layout: string
  readonly concurrency: number
  /** Tokens a second that one user sees. */
  readonly interactivity_tokens_per_s: number
  readonly output_tokens_per_s_per_device: number
  readonly ttft_s: number
}

const CONCURRENCIES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

/** Most interactive first. */
export function servingFront(options: readonly PreparedReplica[], lengths: Lengths): readonly FrontPoint[] {
  const points = options.flatMap((option): FrontPoint[] => {
    const { replica, memory } = option
    const held = memory.cache_bytes > 0 ? requestsHeld(memory, lengths.input + lengths.output) : 0
    return CONCURRENCIES.filter((concurrency) => concurrency <= held).map((concurrency) => {
      const { tpot_s, ttft_s, output_tokens_per_s } = steadyState(option, { ...lengths, concurrency })
      return {
        accelerator: replica.machine.accelerator,
        precision: replica.precision.name,
        layout: layoutText(replica.layout),
        concurrency,
        interactivity_tokens_per_s: 1 / tpot_s,
        output_tokens_per_s_per_device: output_tokens_per_s / devicesOf(replica.layout),
        ttft_s,
      }
    })
  })
  const front: FrontPoint[] = []
  for (const point of points.toSorted((a, b) => b.interactivity_tokens_per_s - a.interactivity_tokens_per_s)) {
    const last = front.at(-1)
    if (!last || point.output_tokens_per_s_per_device > last.output_tokens_per_s_per_device) front.push(point)
  }
  return front
}
