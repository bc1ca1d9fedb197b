// Bounds of a share, of the difference and of the ratio of two independent shares. Wilson's interval of one share holds its level in small groups and
// at 0 and 1; the others are put together from it (R. G. Newcombe, Statistics in Medicine 17, 1998; A. Donner, G. Y. Zou, Statistical Methods in
// Medical Research 21, 2012).

import { normalQuantile } from '@ironlaw/laws/normal'

/** So many of so many. */
export type Share = { readonly of: number; readonly are: number }

export type Bounds = { readonly low: number; readonly high: number }

export const shareOf = ({ of, are }: Share): number => (of === 0 ? 0 : are / of)

/** @param risk chance that the truth lies beyond one of the bounds, for each of them */
export function shareBounds({ of, are }: Share, risk: number): Bounds {
  if (of === 0) return { low: 0, high: 1 }
  const z = normalQuantile(1 - risk)
  const share = are / of
  const center = (share + (z * z) / (2 * of)) / (1 + (z * z) / of)
  const reach = (z / (1 + (z * z) / of)) * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of))
  return { low: are === 0 ? 0 : Math.max(0, center - reach), high: are === of ? 1 : Math.min(1, center + reach) }
}

/** Of the first minus the second. */
export function gapBounds(first: Share, second: Share, risk: number): Bounds {
  const [a, b] = [shareOf(first), shareOf(second)]
  const [ofA, ofB] = [shareBounds(first, risk), shareBounds(second, risk)]
  return { low: a - b - Math.hypot(a - ofA.low, ofB.high - b), high: a - b + Math.hypot(ofA.high - a, b - ofB.low) }
}

/** Of the first divided by the second; without an upper bound where the second may be nothing. */
export function ratioBounds(first: Share, second: Share, risk: number): Bounds {
  const [a, b] = [shareOf(first), shareOf(second)]
  const [ofA, ofB] = [shareBounds(first, risk), shareBounds(second, risk)]
  return {
    low: ratioRoot({ a, b, fromA: ofA.low, fromB: ofB.high }, -1),
    high: ofB.low === 0 ? Infinity : ratioRoot({ a, b, fromA: ofA.high, fromB: ofB.low }, 1),
  }
}

type RatioEnds = { readonly a: number; readonly b: number; readonly fromA: number; readonly fromB: number }

function ratioRoot({ a, b, fromA, fromB }: RatioEnds, sign: 1 | -1): number {
  const product = a * b
  const root = Math.sqrt(Math.max(0, product * product - fromA * fromB * (2 * a - fromA) * (2 * b - fromB)))
  const below = fromB * (2 * b - fromB)
  // Where the bound of the second is twice its share the quadratic has one root.
  return below === 0 ? (fromA * (2 * a - fromA)) / (2 * product) : Math.max(0, (product + sign * root) / below)
}
