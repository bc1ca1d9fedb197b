// The 90 % interval of a step whose two sides are predicted apart: each is off on its own, so that both are hardly ever at their ends at once.

import { normalShareBelow } from '@ironlaw/laws/normal'

/** A time and the ends of its 90 % interval. */
export type TimeRange = { readonly value: number; readonly low: number; readonly high: number }

/** One after the other: distances to the ends add up as squares. */
export const rangeOfSum = (a: TimeRange, b: TimeRange): TimeRange => {
  const value = a.value + b.value
  return { value, low: value - Math.hypot(a.value - a.low, b.value - b.low), high: value + Math.hypot(a.high - a.value, b.high - b.value) }
}

/** At once: the longer one decides. The share of steps below a time is the product of both sides' shares, each log-normal. */
export function rangeOfLonger(a: TimeRange, b: TimeRange): TimeRange {
  const below = (time: number): number => shareBelow(a, time) * shareBelow(b, time)
  const at = (share: number): number => {
    let [low, high] = [Math.min(a.low, b.low) / 2, 2 * Math.max(a.high, b.high)]
    for (let step = 0; step < HALVINGS; step += 1) {
      const middle = (low + high) / 2
      if (below(middle) < share) low = middle
      else high = middle
    }
    return (low + high) / 2
  }
  return { value: Math.max(a.value, b.value), low: at(0.05), high: at(0.95) }
}

const HALVINGS = 50
/** Two-sided 90 % of a normal. */
const Z90 = 1.645

const shareBelow = ({ value, low, high }: TimeRange, time: number): number =>
  normalShareBelow((2 * Z90 * Math.log(time / value)) / Math.log(high / low))
