// The standard normal distribution, to 1e-12 relative in both tails: thresholds, certificates and false-alarm rates
// live in the tails, where 1 - erf(x) has no digits left.

/** Two-sided 5 % significance. */
export const Z_TWO_SIDED_95 = 1.959963984540054
/** One-sided 5 % significance. */
export const Z_ONE_SIDED_95 = 1.6448536269514722
/** 80 % power. */
export const Z_POWER_80 = 0.8416212335729143

/** Complementary error function: a series of positive terms below 2, a continued fraction above. */
export function erfc(x: number): number {
  if (x < 0) return 2 - erfc(-x)
  return x < 2 ? 1 - erfSeries(x) : erfcFraction(x)
}

/** Share of a standard normal below z. */
export const normalShareBelow = (z: number): number => erfc(-z / Math.SQRT2) / 2

/** Share of a standard normal above z. */
export const normalShareAbove = (z: number): number => erfc(z / Math.SQRT2) / 2

/** The z below which a given share of a standard normal lies: Acklam's rational approximation (1e-9), then one Halley step. */
export function normalQuantile(share: number): number {
  if (!(share > 0 && share < 1)) return share === 0 ? -Infinity : share === 1 ? Infinity : Number.NaN
  // 1 - share is exact in [0.5, 1], and the lower tail keeps the digits that the upper one has lost.
  if (share > 0.5) return -normalQuantile(1 - share)
  const z = share < 0.02425 ? tailQuantile(share) : centralQuantile(share - 0.5)
  const step = (normalShareBelow(z) - share) * Math.sqrt(2 * Math.PI) * Math.exp((z * z) / 2)
  return z - step / (1 + (z * step) / 2)
}

function erfSeries(x: number): number {
  let term = x
  let sum = x
  for (let n = 1; term > sum * 1e-17; n += 1) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
}

function erfcFraction(x: number): number {
  let tail = x
  for (let n = 80; n >= 1; n -= 1) tail = x + n / 2 / tail
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * tail)
}

function tailQuantile(share: number): number {
  const t = Math.sqrt(-2 * Math.log(share))
  const above =
    ((((-7.784894002430293e-3 * t - 3.223964580411365e-1) * t - 2.400758277161838) * t - 2.549732539343734) * t + 4.374664141464968) * t +
    2.938163982698783
  const below = (((7.784695709041462e-3 * t + 3.224671290700398e-1) * t + 2.445134137142996) * t + 3.754408661907416) * t + 1
  return above / below
}

function centralQuantile(offset: number): number {
  const r = offset * offset
  const above =
    ((((-3.969683028665376e1 * r + 2.209460984245205e2) * r - 2.759285104469687e2) * r + 1.38357751867269e2) * r - 3.066479806614716e1) *
      r +
    2.506628277459239
  const below =
    ((((-5.447609879822406e1 * r + 1.615858368580409e2) * r - 1.556989798598866e2) * r + 6.680131188771972e1) * r - 1.328068155288572e1) *
      r +
    1
  return (offset * above) / below
}
