// Whether one rank holds up the others for good: the same rank slowest in most of the last steps, and by a margin worth a restart.

export type PaceRow = {
  readonly step: number
  readonly slowest?: { readonly rank: number; readonly compute_s: number }
  readonly median_compute_s?: number
}

export type StragglerVerdict = { readonly rank: number; readonly factor: number }

const WINDOW = 50
/** BLOOM excluded a node for 6 %; a restart costs minutes, so only what costs more than a quarter of every step is acted on unasked. */
const FACTOR = 1.25
const SHARE = 0.8

export function judgeStraggler(rows: readonly PaceRow[]): StragglerVerdict | undefined {
  const recent = rows
    .slice(-WINDOW)
    .flatMap(({ slowest, median_compute_s }) =>
      slowest && median_compute_s ? [{ rank: slowest.rank, factor: slowest.compute_s / median_compute_s }] : [],
    )
  if (recent.length < WINDOW) return undefined
  const counts = new Map<number, number[]>()
  for (const { rank, factor } of recent) if (factor > FACTOR) counts.set(rank, [...(counts.get(rank) ?? []), factor])
  for (const [rank, factors] of counts) {
    if (factors.length >= SHARE * WINDOW) return { rank, factor: factors.reduce((sum, factor) => sum + factor, 0) / factors.length }
  }
  return undefined
}
