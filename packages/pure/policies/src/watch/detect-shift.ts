// Whether a stream has shifted. Each hour adds what it says for a shift that matters against one that does not (a likelihood ratio of the part of the hour
// that the hours before did not foretell), never below zero. Such sums exceed a limit b, while nothing has shifted, less than once in exp(b) hours on
// average (G. Lorden, Annals of Mathematical Statistics 42(6), 1971; J. Shin, A. Ramdas, A. Rinaldo, "E-detectors", 2022), so the limit follows from the budget of
// false alarms and needs no threshold of anyone. What an hour can add is bounded: a burst that is shorter than what has to last cannot alarm.

import { expectedAt, type StreamModel } from './stream-model.ts'
import type { StreamHour } from './streams.ts'

export type Shift = {
  /** That is to be found, in the unit of the stream. */
  readonly matters: number
  /** Up to which it is no matter; what the reference does not know of its own level is below it. */
  readonly ignored: number
  /** Of the sum. */
  readonly limit: number
  /** Hours that a shift lasts at the least. */
  readonly lasting: number
}

export type DetectorState = {
  readonly hour?: number
  /** What is believed of the part that wanders, and how uncertain that is. */
  readonly level: number
  readonly uncertainty: number
  readonly up: number
  readonly down: number
}

export type Detection = { readonly state: DetectorState; readonly alarm?: 'up' | 'down' }

/** Beyond it an hour is a burst, and counts as one of so many deviations. */
const MOST_DEVIATIONS = 4
/** More would let a single hour speak louder than the model is right. */
const MOST_WEIGHT = 2

export const newDetector = ({ wander }: StreamModel): DetectorState => ({ level: 0, uncertainty: wander, up: 0, down: 0 })

export function detect(
  model: StreamModel,
  shift: Shift,
  { state, seen }: { readonly state: DetectorState; readonly seen: StreamHour },
): Detection {
  const gap = state.hour === undefined ? 1 : Math.max(1, seen.hour - state.hour)
  const kept = model.kept ** gap
  const foretold = kept * state.level
  const uncertain = kept * kept * state.uncertainty + model.wander * (1 - kept * kept)
  const total = uncertain + model.variance / seen.rows
  const gain = uncertain / total
  const surprise = bounded((seen.mean - expectedAt(model, seen.hour) - foretold) / Math.sqrt(total))
  // Of a shift that stays, the wandering part takes over some: this share of it surprises again every hour.
  const lastingShare = (1 - kept) / (1 - kept * (1 - gain))
  const added = evidence(surprise, { ...shift, scale: lastingShare / Math.sqrt(total) })
  const up = Math.max(0, state.up + added.up)
  const down = Math.max(0, state.down + added.down)
  const next = { hour: seen.hour, level: foretold + gain * surprise * Math.sqrt(total), uncertainty: (1 - gain) * uncertain }
  const alarm = up > shift.limit ? 'up' : down > shift.limit ? 'down' : undefined
  return alarm ? { state: { ...next, up: 0, down: 0 }, alarm } : { state: { ...next, up, down } }
}

/** So that a burst neither decides nor is taken for how the stream wanders. */
const bounded = (deviations: number): number => Math.max(-MOST_DEVIATIONS, Math.min(MOST_DEVIATIONS, deviations))

function evidence(
  deviations: number,
  { matters, ignored, limit, lasting, scale }: Shift & { readonly scale: number },
): { readonly up: number; readonly down: number } {
  const weight = Math.min(MOST_WEIGHT, (matters - ignored) * scale)
  const middle = ((matters + ignored) * scale) / 2
  const most = limit / lasting
  return { up: Math.min(most, weight * (deviations - middle)), down: Math.min(most, weight * (-deviations - middle)) }
}
