// How much a quantile differs between two conditions that took turns. Blocks are drawn in pairs with replacement: neighbours in time met the
// same machine, and requests within a block are not independent of each other.

import { quantile } from '@ironlaw/laws/quantile'

export type Pair = { readonly without: readonly number[]; readonly with: readonly number[] }

export type RatioInterval = { readonly ratio: number; readonly low: number; readonly high: number }

export type RatioOptions = { readonly share: number; readonly draw: () => number; readonly draws?: number }

/** The ratio of the pooled quantiles; one stall of the machine decides it. */
export const pooledRatio = (pairs: readonly Pair[], options: RatioOptions): RatioInterval =>
  bootstrapInterval(pairs, pooledStatistic, options)

/** The median of the pairs' own ratios, which no single stall moves. */
export const typicalRatio = (pairs: readonly Pair[], options: RatioOptions): RatioInterval =>
  bootstrapInterval(pairs, medianStatistic, options)

type Statistic = (pairs: readonly Pair[], share: number) => number

const ratioOf = (pair: Pair, share: number): number => quantile(pair.with, share) / quantile(pair.without, share)

const pooledStatistic: Statistic = (pairs, share) =>
  ratioOf({ with: pairs.flatMap((pair) => pair.with), without: pairs.flatMap((pair) => pair.without) }, share)

const medianStatistic: Statistic = (pairs, share) =>
  quantile(
    pairs.map((pair) => ratioOf(pair, share)),
    0.5,
  )

/** With the bounds between which it lies in 95 % of the draws. */
function bootstrapInterval(pairs: readonly Pair[], statistic: Statistic, { share, draw, draws = 1000 }: RatioOptions): RatioInterval {
  const drawn = Array.from({ length: draws }, () =>
    statistic(
      pairs.flatMap(() => pairs[Math.floor(draw() * pairs.length)] ?? []),
      share,
    ),
  )
  return { ratio: statistic(pairs, share), low: quantile(drawn, 0.025), high: quantile(drawn, 0.975) }
}
