// A figure with its 90 % interval and, where laws made it, its derivation.

import type { DataInterval } from '@ironlaw/contracts/data-plan'
import type { BaseUnit, Known } from '@ironlaw/units'

export type Estimate<U extends BaseUnit = BaseUnit> = DataInterval & { readonly by: Known<U> }

/** Two-sided 90 % of a normal. */
export const Z90 = 1.6448536269514722

export const intervalOf = ({ value, low, high }: DataInterval): DataInterval => ({ value, low, high })

/** @param spread one standard deviation, relative */
export function spreadInterval(value: number, spread: number): DataInterval {
  const factor = Math.exp(Z90 * spread)
  return { value, low: value / factor, high: value * factor }
}

/** One standard deviation of an interval, relative. */
export const relativeSpread = ({ value, low, high }: DataInterval): number => (value > 0 ? (high - low) / (2 * Z90 * value) : 0)
