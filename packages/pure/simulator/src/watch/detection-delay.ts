// How long a shift takes to be found, by the detector that will look for it: the stream is drawn as its model says, shifted from some hour of the week on.

import { detect, hourOfDay, newDetector, type Shift, type StreamHour, type StreamModel } from '@ironlaw/policies/watch'
import { RandomStream } from '../kernel/random-stream.ts'
import { SimulatedStream, type StreamTruth } from './simulated-stream.ts'

export type Delay = {
  /** Hours, of which 5, 50 and 95 % of the draws took no more; infinite where it was not found in time. */
  readonly low: number
  readonly median: number
  readonly high: number
}

const DRAWS = 200
const HOURS_A_WEEK = 168
const WARM_UP = 48
/** Three months: what takes longer is found by no one. */
const MOST_HOURS = 2160
const SEED = 1

export function detectionDelay(model: StreamModel, shift: Shift, reference: readonly StreamHour[]): Delay {
  const truth = truthOf(model, reference)
  const delays = Array.from({ length: DRAWS }, (_, draw) => drawnDelay({ model, shift, truth }, new RandomStream([SEED, draw]))).toSorted(
    (a, b) => a - b,
  )
  const at = (share: number): number => delays[Math.min(DRAWS - 1, Math.floor(share * DRAWS))] ?? Infinity
  return { low: at(0.05), median: at(0.5), high: at(0.95) }
}

type Drawing = { readonly model: StreamModel; readonly shift: Shift; readonly truth: StreamTruth }

function drawnDelay({ model, shift, truth }: Drawing, random: RandomStream): number {
  const stream = new SimulatedStream(truth, random)
  const begins = random.below(HOURS_A_WEEK) + WARM_UP
  // The level of the reference is off by its error, for the whole watch.
  const off = model.error * random.normal()
  let state = newDetector(model)
  for (let hour = begins - WARM_UP; hour < begins + MOST_HOURS; hour += 1) {
    const seen = stream.at(hour, model.level + off + (hour < begins ? 0 : shift.matters))
    const detection = detect(model, shift, { state, seen })
    state = detection.state
    if (detection.alarm === 'up' && hour >= begins) return hour - begins + 1
  }
  return Infinity
}

/** Rows as the reference had them. */
function truthOf({ hours, days, wander, kept, variance }: StreamModel, reference: readonly StreamHour[]): StreamTruth {
  const byHour = Map.groupBy(reference, ({ hour }) => hourOfDay(hour))
  const rows = hours.map((_, hour) => {
    const own = byHour.get(hour) ?? []
    return own.length === 0 ? 0 : own.reduce((sum, each) => sum + each.rows, 0) / own.length
  })
  const logs = reference.map(({ hour, rows: own }) => Math.log(own / Math.max(1, rows[hourOfDay(hour)] ?? 1)))
  const centre = logs.reduce((sum, each) => sum + each, 0) / Math.max(1, logs.length)
  const uneven = Math.sqrt(logs.reduce((sum, each) => sum + (each - centre) ** 2, 0) / Math.max(1, logs.length))
  return { hours, days, wander, kept, variance, rows, uneven }
}
