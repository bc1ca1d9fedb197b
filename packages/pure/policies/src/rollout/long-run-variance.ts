// The variance of one value as it counts in a mean of many, when neighbours are alike: means over 1, 2, 4, 8, ... neighbours are kept
// (batch means), since the longer a batch the less it has in common with the next. Memory grows with the logarithm of the count.

/** Values seen at one length of batches (Welford), and a batch that waits for its second half. */
type Level = { readonly count: number; readonly mean: number; readonly squares: number; readonly half?: number }

export type Spread = readonly Level[]

const FIRST: Level = { count: 0, mean: 0, squares: 0 }

export function withValue(spread: Spread, value: number): Spread {
  const [level = FIRST, ...longer] = spread
  const count = level.count + 1
  const mean = level.mean + (value - level.mean) / count
  const squares = level.squares + (value - level.mean) * (value - mean)
  if (level.half === undefined) return [{ count, mean, squares, half: value }, ...longer]
  return [{ count, mean, squares }, ...withValue(longer, (level.half + value) / 2)]
}

export const countOf = (spread: Spread): number => spread[0]?.count ?? 0

export const meanOf = (spread: Spread): number => spread[0]?.mean ?? 0

/** An estimate from n batches is itself uncertain by sqrt(2 / n); who decides at the most favourable of many looks takes its upper side. */
const CAUTION = 1.5
const LEAST_BATCHES = 8

export function longRunVariance(spread: Spread): number {
  return spread.reduce((largest, { count, squares }, level) => {
    if (count < LEAST_BATCHES) return largest
    const perValue = (2 ** level * squares) / (count - 1)
    return Math.max(largest, perValue * (level === 0 ? 1 + CAUTION * Math.sqrt(2 / count) : 1))
  }, 1e-9)
}
