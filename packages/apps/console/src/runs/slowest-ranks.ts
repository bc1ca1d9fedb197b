// Which rank the others waited for, over the steps of the newest attempt.

import type { StepView } from '@ironlaw/contracts/api'

export type SlowestRank = {
  readonly rank: number
  /** Share of the steps that report a slowest rank. */
  readonly share: number
  /** How much longer than the median it took in those steps, on average; 0.1 is a tenth. */
  readonly behind: number
}

/** The most frequent first. */
export function slowestRanks(steps: readonly StepView[]): readonly SlowestRank[] {
  const newest = Math.max(0, ...steps.map(({ attempt }) => attempt))
  const named = steps.flatMap(({ attempt, slowest, median_compute_s }) =>
    attempt === newest && slowest && median_compute_s !== undefined && median_compute_s > 0
      ? [{ rank: slowest.rank, behind: slowest.compute_s / median_compute_s - 1 }]
      : [],
  )
  return [...Map.groupBy(named, ({ rank }) => rank)]
    .map(([rank, rows]) => ({
      rank,
      share: rows.length / named.length,
      behind: rows.reduce((sum, { behind }) => sum + behind, 0) / rows.length,
    }))
    .toSorted((a, b) => b.share - a.share)
}
