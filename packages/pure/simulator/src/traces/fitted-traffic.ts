// Traffic like that of a trace, for as long as one wants: the rate window by window, gaps as bursty as they were within a window, and pairs
// of lengths drawn from those that came together. A gamma process alone would miss the drift: in Azure's conversations the dispersion of
// counts is 1.4 over a second and 16 over a minute.

import { RandomStream } from '../kernel/random-stream.ts'
import type { Arrivals } from '../serving/arrivals.ts'
import { gammaDraw } from '../serving/gamma-draw.ts'
import type { Trace } from './trace.ts'

export type FittedTraffic = {
  readonly window_s: number
  /** Requests a second, window by window. */
  readonly rates: Float64Array
  /** Coefficient of variation of the gaps, each in units of its window's mean. */
  readonly burstiness: number
  readonly prompt: Int32Array
  readonly output: Int32Array
}

const WINDOW_S = 60
/** Beyond this almost all gamma draws are zero; below the other all are alike. */
const MOST_BURSTY = 8
const LEAST_BURSTY = 0.05

export function fitTraffic({ at_s, count, prompt, output }: Trace, window_s = WINDOW_S): FittedTraffic {
  const duration = Math.max(window_s, at_s[count - 1] ?? 0)
  const windows = Math.ceil(duration / window_s)
  const rates = new Float64Array(windows)
  const windowOf = (at: number): number => Math.min(windows - 1, Math.floor(at / window_s))
  for (let index = 0; index < count; index += 1) rates[windowOf(at_s[index]!)]! += 1
  for (let window = 0; window < windows; window += 1) rates[window]! /= Math.min(window_s, duration - window * window_s)
  // Requests expected up to the start of each window: gaps are measured in it, so that the drift of the rate is not taken for bursts.
  const expected = new Float64Array(windows)
  for (let window = 1; window < windows; window += 1) expected[window] = expected[window - 1]! + rates[window - 1]! * window_s
  const expectedAt = (at: number): number => expected[windowOf(at)]! + rates[windowOf(at)]! * (at - windowOf(at) * window_s)
  let sum = 0
  let squares = 0
  for (let index = 1; index < count; index += 1) {
    const gap = expectedAt(at_s[index]!) - expectedAt(at_s[index - 1]!)
    sum += gap
    squares += gap * gap
  }
  const mean = sum / Math.max(1, count - 1)
  const variance = Math.max(0, squares / Math.max(1, count - 1) - mean * mean)
  const burstiness = mean > 0 ? Math.sqrt(variance) / mean : 1
  return { window_s, rates, burstiness: Math.min(MOST_BURSTY, Math.max(LEAST_BURSTY, burstiness)), prompt, output }
}

export type SyntheticChoice = {
  readonly count: number
  readonly seed: number
  /** Times the rate of the trace. */
  readonly scale?: number
}

/** The windows come again from the first when the trace is over. */
export function syntheticArrivals(fit: FittedTraffic, { count, seed, scale = 1 }: SyntheticChoice): Arrivals {
  const gaps = new RandomStream([seed, 21])
  const lengths = new RandomStream([seed, 22])
  const shape = 1 / fit.burstiness ** 2
  let at = 0
  let made = 0
  return (into) => {
    if (made === count) return false
    made += 1
    at = timeWhenExpected(fit, { at, left: gammaDraw(gaps, shape) / scale })
    const pair = lengths.below(fit.prompt.length)
    into.at = at
    into.prompt = fit.prompt[pair]!
    into.output = fit.output[pair]!
    into.session = made
    return true
  }
}

/** When this many more requests are expected. */
function timeWhenExpected({ rates, window_s }: FittedTraffic, { at, left }: { readonly at: number; readonly left: number }): number {
  let window = Math.floor(at / window_s)
  let from = at
  let rest = left
  for (;;) {
    const rate = rates[window % rates.length]!
    const end = (window + 1) * window_s
    const within = rate * (end - from)
    if (rest <= within && rate > 0) return from + rest / rate
    rest -= within
    from = end
    window += 1
  }
}
