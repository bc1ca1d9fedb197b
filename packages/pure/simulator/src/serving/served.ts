// What became of a request, measured or simulated, and the figures of many.

import type { ServedRequest } from '@ironlaw/policies/serving'
import { quantile } from '@ironlaw/laws/quantile'

export type AccountedRequest = ServedRequest & { readonly at_s: number; readonly output: number; readonly ttft_s: number }

export const SERVED_FIGURES = ['ttft p50', 'ttft p95', 'tpot p50', 'tpot p95', 'tokens/s'] as const
export type ServedFigure = (typeof SERVED_FIGURES)[number]
export type ServedFigures = Readonly<Record<ServedFigure, number>>

/** Seconds, but for the last. */
export function figuresOf(served: readonly AccountedRequest[]): ServedFigures {
  const ttft = served.map(({ ttft_s }) => ttft_s)
  const tpot = served.flatMap(({ ttft_s, latency_s, output }) => (output > 1 ? [(latency_s - ttft_s) / (output - 1)] : []))
  const begun_s = served.reduce((least, { at_s }) => Math.min(least, at_s), Infinity)
  const ended_s = served.reduce((most, { at_s, latency_s }) => Math.max(most, at_s + latency_s), -Infinity)
  return {
    'ttft p50': quantile(ttft, 0.5),
    'ttft p95': quantile(ttft, 0.95),
    'tpot p50': quantile(tpot, 0.5),
    'tpot p95': quantile(tpot, 0.95),
    'tokens/s': served.reduce((sum, { output }) => sum + output, 0) / (ended_s - begun_s),
  }
}
