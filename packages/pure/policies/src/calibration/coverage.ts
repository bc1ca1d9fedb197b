// Whether intervals keep their word: of the runs that ended, the share whose measured step lies inside the interval of their plan.

import { median } from '@ironlaw/laws/quantile'

export type FinishedRun = {
  readonly run: string
  readonly predicted_s: number
  readonly low_s: number
  readonly high_s: number
  readonly measured_s: number
}

export type Coverage = { readonly runs: number; readonly inside: number; readonly error: number }

/** `error` is the median of |predicted - measured| / measured; undefined before the first run. */
export function coverageOf(runs: readonly FinishedRun[]): Coverage | undefined {
  if (runs.length === 0) return undefined
  const errors = runs.map(({ predicted_s, measured_s }) => Math.abs(predicted_s - measured_s) / measured_s)
  return {
    runs: runs.length,
    inside: runs.filter(({ low_s, high_s, measured_s }) => measured_s >= low_s && measured_s <= high_s).length / runs.length,
    error: median(errors),
  }
}
