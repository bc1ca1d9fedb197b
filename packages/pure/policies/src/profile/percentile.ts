// Percentiles of numbers that were counted in bins.

import { type Bin, valueOf } from './bins.ts'

/** The smallest number that a share of all are not above, within the width of a bin (0.8 %). `bins` are in their order; undefined where nothing was counted. */
export function percentileOfBins(bins: readonly Bin[], share: number): number | undefined {
  const all = bins.reduce((sum, [, count]) => sum + count, 0)
  let left = Math.max(1, Math.ceil(share * all))
  for (const [bin, count] of bins) {
    left -= count
    if (left <= 0) return valueOf(bin)
  }
  return undefined
}
