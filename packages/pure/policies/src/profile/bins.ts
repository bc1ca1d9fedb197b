// The bins that numbers are counted in. They depend on nothing but the number, so counts of any two sources add up.

import { BINS_PER_E, LEAST_NUMBER, MOST_NUMBER } from '@ironlaw/contracts/profile'

/** Undefined for what is no number. */
export function binOf(value: number): number | undefined {
  if (Number.isNaN(value)) return undefined
  const size = Math.min(MOST_NUMBER, Math.abs(value))
  if (size < LEAST_NUMBER) return 0
  const bin = Math.max(1, Math.ceil(BINS_PER_E * Math.log(size / LEAST_NUMBER)))
  return value < 0 ? -bin : bin
}

/** The geometric middle of a bin: never more than 0.4 % from what was counted in it. */
export const valueOf = (bin: number): number =>
  bin === 0 ? 0 : Math.sign(bin) * LEAST_NUMBER * Math.exp((Math.abs(bin) - 0.5) / BINS_PER_E)

/** With its count. */
export type Bin = readonly [bin: number, count: number]

/** Those that were counted in, in their order. */
export const sortedBins = (bins: Readonly<Record<string, number>>): readonly Bin[] =>
  inOrder(Object.entries(bins).map(([bin, count]) => [Number(bin), count]))

export const inOrder = (bins: readonly Bin[]): readonly Bin[] =>
  bins.filter(([, count]) => count > 0).toSorted(([one], [other]) => one - other)
