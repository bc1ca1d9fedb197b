// What became of a request, measured or simulated, and the figures of many.

import type { ServingCause } from '@ironlaw/policies/serving'

export type Served = {
  readonly at_s: number
  readonly output: number
  readonly ttft_s: number
  readonly latency_s: number
  readonly causes: Readonly<Record<ServingCause, number>>
}

export type Figures = Readonly<Record<(typeof FIGURES)[number], number>>

export const FIGURES = ['ttft p50', 'ttft p95', 'tpot p50', 'tpot p95', 'tokens/s'] as const

export function figuresOf(served: readonly Served[]): Figures {
  const ttft = served.map(({ ttft_s }) => ttft_s)
  const tpot = served.map(({ ttft_s, latency_s, output }) => (latency_s - ttft_s) / (output - 1))
  const end = Math.max(...served.map(({ at_s, latency_s }) => at_s + latency_s))
  return {
    'ttft p50': quantile(ttft, 0.5),
    'ttft p95': quantile(ttft, 0.95),
    'tpot p50': quantile(tpot, 0.5),
    'tpot p95': quantile(tpot, 0.95),
    'tokens/s': served.reduce((sum, { output }) => sum + output, 0) / end,
  }
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  const at = share * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN]
  return low + (high - low) * (at - Math.floor(at))
}
