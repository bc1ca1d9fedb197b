// One-sided bounds of the difference between two models. Counts of right and wrong use Tango's score interval, which holds its level from a
// dozen items on and where no item differs at all (T. Tango, Statistics in Medicine 17, 1998); everything else uses Student's t over
// clusters (E. Miller, Adding Error Bars to Evals, arXiv 2411.00640).

import { normalQuantile } from '@ironlaw/laws/normal'
import { studentQuantile } from '@ironlaw/laws/student'
import type { PairedDifference } from './paired-scores.ts'

export type DifferenceBounds = { readonly low: number; readonly high: number }

/** Chances that the truth lies below `low` and above `high`. */
export type TailRisk = { readonly below: number; readonly above: number }

/** Scores are shares, so no difference is larger. */
const LARGEST = 1
const HALVINGS = 50

export function differenceBounds(seen: PairedDifference, risk: TailRisk): DifferenceBounds {
  if (seen.units < 2) return { low: -LARGEST, high: LARGEST }
  const { kind } = seen
  if (kind.is === 'counts') {
    const counts = { items: seen.items, won: kind.won, lost: kind.lost }
    return { low: tangoLow(counts, normalQuantile(1 - risk.below)), high: -tangoLow(mirrored(counts), normalQuantile(1 - risk.above)) }
  }
  const error = Math.sqrt(seen.variance / seen.items)
  const reach = (share: number): number => studentQuantile(1 - share, seen.units - 1) * error
  return { low: Math.max(-LARGEST, seen.mean - reach(risk.below)), high: Math.min(LARGEST, seen.mean + reach(risk.above)) }
}

type Counts = { readonly items: number; readonly won: number; readonly lost: number }

const mirrored = ({ items, won, lost }: Counts): Counts => ({ items, won: lost, lost: won })

/** The smallest difference that the counts do not contradict by more than z. */
function tangoLow(counts: Counts, z: number): number {
  let [low, high] = [-LARGEST, (counts.won - counts.lost) / counts.items]
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2
    if (tangoScore(counts, middle) > z) low = middle
    else high = middle
  }
  return high
}

/** How many standard errors the counts lie above a supposed difference, the error being the likeliest one under that supposition. */
function tangoScore({ items, won, lost }: Counts, difference: number): number {
  const above = won - lost - items * difference
  const linear = -won - lost + (2 * items - won + lost) * difference
  const constant = -lost * difference * (1 - difference)
  const lostShare = (Math.sqrt(Math.max(0, linear * linear - 8 * items * constant)) - linear) / (4 * items)
  const variance = items * (2 * lostShare + difference * (1 - difference))
  return variance <= 0 ? (above === 0 ? 0 : Math.sign(above) * Infinity) : above / Math.sqrt(variance)
}
