// How long a job of a given size takes from its launch to its first step, from MLPerf logs of jobs of about that size.

import { median } from '@ironlaw/laws/quantile'
import { PUBLISHED } from '../validation/published.ts'

const STARTS = [...PUBLISHED.values()].flatMap(({ id, accelerators, value }) =>
  id.startsWith('mlperf-init') && accelerators !== undefined && value !== undefined ? [{ accelerators, time_s: value }] : [],
)

export type StartUp = { readonly time_s: number; readonly from: string }

const distance = (size: number, accelerators: number): number => Math.abs(Math.log2(size / accelerators))

/** The median of the jobs from half to twice the size; of the nearest size where there are none. */
export function startUpTime(accelerators: number): StartUp {
  const nearest = Math.min(...STARTS.map((start) => distance(start.accelerators, accelerators)))
  const alike = STARTS.filter((start) => distance(start.accelerators, accelerators) <= Math.max(1, nearest))
  const sizes = [...new Set(alike.map((start) => start.accelerators))].toSorted((a, b) => a - b)
  return {
    time_s: median(alike.map(({ time_s }) => time_s)),
    from: `median of ${alike.length} MLPerf result logs, init_start to run_start, on ${sizes.map((size) => size.toLocaleString('en')).join(', ')} accelerators`,
  }
}

/** How far one log lies from the median of its size: logarithmic, one standard deviation. */
export const START_SPREAD = Math.sqrt(
  STARTS.reduce((sum, { accelerators, time_s }) => sum + Math.log(time_s / startUpTime(accelerators).time_s) ** 2, 0) / (STARTS.length - 1),
)
