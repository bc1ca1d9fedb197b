// After how long without progress a run counts as hung. A short time-out finds hangs early and stops healthy runs whose step took long;
// a long one costs its own length at every hang.

import { normalShareAbove } from '@ironlaw/laws/normal'

export type StepTimes = {
  /** Median of a step. */
  readonly step_s: number
  /** Standard deviation of the logarithm of a step's time; steps are taken as log-normal, since they have a long right tail. */
  readonly spread: number
}

export type HangCosts = {
  readonly hangsPer_s: number
  /** What a needless restart costs: rework and recovery. */
  readonly falseAlarm_s: number
}

/** Share of time lost to hangs not yet noticed and to false alarms at a time-out of `deviations` above the median. */
function lostShare({ step_s, spread }: StepTimes, { hangsPer_s, falseAlarm_s }: HangCosts, deviations: number): number {
  const timeout = step_s * Math.exp(spread * deviations)
  return hangsPer_s * timeout + (normalShareAbove(deviations) / step_s) * falseAlarm_s
}

const GRID = { from: 2, to: 40, step: 0.05 }

/** The time-out that loses least, seconds, and the share of time it loses. */
export function hangTimeout(steps: StepTimes, costs: HangCosts): { readonly timeout_s: number; readonly lost: number } {
  let best = GRID.from
  for (let deviations = GRID.from; deviations <= GRID.to; deviations += GRID.step)
    if (lostShare(steps, costs, deviations) < lostShare(steps, costs, best)) best = deviations
  return { timeout_s: steps.step_s * Math.exp(steps.spread * best), lost: lostShare(steps, costs, best) }
}
