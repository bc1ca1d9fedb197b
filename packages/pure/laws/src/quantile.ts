// Quantiles of a sample by linear interpolation between the two nearest ranks (type 7 of Hyndman and Fan, the default of NumPy and R), so
// that the p90 of one page is the p90 of another.

/** NaN of no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  const rank = share * (sorted.length - 1)
  const below = sorted[Math.floor(rank)] ?? Number.NaN
  const above = sorted[Math.ceil(rank)] ?? Number.NaN
  return below + (rank - Math.floor(rank)) * (above - below)
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)
