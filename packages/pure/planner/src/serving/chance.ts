// The chance that objectives hold when the prediction of a step may be off. That one error moves both times at once: where it makes tokens
// late, it makes first tokens later too. So the two chances are not multiplied, as if they were independent; they are summed over the error.

import { normalQuantile, normalShareBelow } from '@ironlaw/laws/normal'

/** How a time stands to its objective, in logarithms. */
export type Headroom = {
  /** Of the objective over what is expected. */
  readonly room: number
  /** What one standard deviation of the error of steps takes of it. */
  readonly slope: number
  /** What else may be off, beside the steps: one standard deviation. */
  readonly rest: number
}

const LEAST = 1e-9

/** That one objective holds. */
export const chanceOf = ({ room, slope, rest }: Headroom): number => normalShareBelow(room / Math.max(LEAST, Math.hypot(slope, rest)))

const PARTS = 64

/** That both hold: over equally likely parts of the error for which tokens are in time, how likely first tokens are. */
export function chanceOfBoth(ttft: Headroom, tpot: Headroom): number {
  const tokens = chanceOf(tpot)
  if (tokens === 0) return 0
  let sum = 0
  for (let part = 0; part < PARTS; part += 1) {
    const error = normalQuantile((tokens * (part + 0.5)) / PARTS)
    sum += normalShareBelow((ttft.room - ttft.slope * error) / Math.max(LEAST, ttft.rest))
  }
  return Math.min(tokens, chanceOf(ttft), (tokens * sum) / PARTS)
}
