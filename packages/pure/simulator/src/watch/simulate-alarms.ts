// How often a watch alarms while nothing has shifted, and how soon it finds what has: years of hourly traffic are drawn whose truth is known, beside control
// limits as people write them.

import {
  alarmLimit,
  designShift,
  detect,
  type DetectorState,
  fitStream,
  newDetector,
  type Shift,
  type StreamHour,
  type StreamModel,
} from '@ironlaw/policies/watch'
import { RandomStream } from '../kernel/random-stream.ts'
import { type Delay, detectionDelay } from './detection-delay.ts'
import { SimulatedStream, type StreamTruth } from './simulated-stream.ts'

export type AlarmTrials = {
  readonly years: number
  readonly features: number
  /** Streams whose reference was long enough to be watched, of all. */
  readonly watched: number
  readonly streams: number
  /** By rule: false alarms a month over all features of a watch. */
  readonly rules: readonly { readonly rule: string; readonly aMonth: number }[]
  readonly delays: {
    readonly shifts: number
    /** Share that was found within the interval of 90 % foretold. */
    readonly within: number
    readonly median: number
    readonly foretold: number
  }
}

export const OWN_RULE = 'a budget of one false alarm a month'

const FEATURES = 20
const MONTH = 720
const YEAR = 8760
const DAY = 24
const REFERENCE = 28 * DAY
/** Standard deviations. */
const MATTERS = 0.2
const LASTING = 8
const LIMIT = alarmLimit({ alarms: 1, hours: MONTH }, FEATURES)
/** Of each year one feature is shifted at the end. */
const MOST_DELAY = 2160

type Feature = {
  readonly stream: SimulatedStream
  readonly reference: readonly StreamHour[]
  readonly model: StreamModel
  readonly shift: Shift | undefined
}

export function simulateAlarms({ years, seed }: { readonly years: number; readonly seed: number }): AlarmTrials {
  const trials = Array.from({ length: years }, (_, year) => simulateYear(seed, year))
  const total = (of: (trial: YearTrial) => number): number => trials.reduce((sum, trial) => sum + of(trial), 0)
  const aMonth = (alarms: number, features: number): number => (alarms * FEATURES * MONTH) / (Math.max(1, features) * YEAR)
  const watched = total((trial) => trial.watched)
  const found = trials.flatMap(({ found: one }) => one ?? [])
  return {
    years,
    features: FEATURES,
    watched,
    streams: years * FEATURES,
    rules: [
      {
        rule: OWN_RULE,
        aMonth: aMonth(
          total(({ alarms }) => alarms),
          watched,
        ),
      },
      {
        rule: 'an hour beyond 3 deviations of the reference',
        aMonth: aMonth(
          total(({ hourly }) => hourly),
          years * FEATURES,
        ),
      },
      {
        rule: 'a day that a test at 5 % tells from the reference',
        aMonth: aMonth(
          total(({ daily }) => daily),
          years * FEATURES,
        ),
      },
    ],
    delays: {
      shifts: found.length,
      within: found.filter(({ took, foretold: { low, high } }) => took >= low && took <= high).length / Math.max(1, found.length),
      median: medianOf(found.map(({ took }) => took)),
      foretold: medianOf(found.map(({ foretold }) => foretold.median)),
    },
  }
}

type YearTrial = {
  readonly alarms: number
  readonly hourly: number
  readonly daily: number
  readonly watched: number
  readonly found: { readonly took: number; readonly foretold: Delay } | undefined
}

/** One watch of twenty features, whose traffic they share. */
function simulateYear(seed: number, year: number): YearTrial {
  const features = Array.from({ length: FEATURES }, (_, feature) => newFeature(new RandomStream([seed, year, feature])))
  let [alarms, hourly, daily] = [0, 0, 0]
  const states: DetectorState[] = []
  for (const feature of features) {
    const own = watchYear(feature)
    alarms += own.alarms
    hourly += own.hourly
    daily += own.daily
    states.push(own.state)
  }
  const first = features.findIndex(({ shift }) => shift !== undefined)
  const shifted = features[first]
  const state = states[first]
  return {
    alarms,
    hourly,
    daily,
    watched: features.filter(({ shift }) => shift !== undefined).length,
    found: shifted && state && findShift(shifted, state),
  }
}

function newFeature(random: RandomStream): Feature {
  const stream = new SimulatedStream(drawTruth(random), random)
  const reference = Array.from({ length: REFERENCE }, (_, hour) => stream.at(hour))
  const model = fitStream(reference, 1)
  const design = designShift(model, { matters: MATTERS, lasting: LASTING, limit: LIMIT })
  return { stream, reference, model, shift: design.kind === 'watched' ? design.shift : undefined }
}

/** Seasons of up to 0.3 deviations, wandering of up to 0.1 that lasts hours to a day, bursts, and five times as much traffic by day as by night. */
function drawTruth(random: RandomStream): StreamTruth {
  const [size, phase, weekend] = [0.05 + 0.25 * random.uniform(), DAY * random.uniform(), 0.1 * random.uniform()]
  const busy = 100 * 10 ** random.uniform()
  return {
    hours: Array.from({ length: DAY }, (_, hour) => size * Math.sin((2 * Math.PI * (hour - phase)) / DAY)),
    days: Array.from({ length: 7 }, (_, day) => (day >= 5 ? weekend : 0)),
    wander: (0.02 + 0.08 * random.uniform()) ** 2,
    kept: 0.5 + 0.45 * random.uniform(),
    variance: 1,
    rows: Array.from({ length: DAY }, (_, hour) => busy * (1 + 0.7 * Math.sin((2 * Math.PI * (hour - 8)) / DAY))),
    uneven: 0.2,
    bursts: { chance: 1 / 400, size: 0.3, most: 4 },
  }
}

type WatchedYear = Pick<YearTrial, 'alarms' | 'hourly' | 'daily'> & { readonly state: DetectorState }

function watchYear({ stream, reference, model, shift }: Feature): WatchedYear {
  const limits = controlLimits(reference)
  let state = newDetector(model)
  let [alarms, hourly, daily] = [0, 0, 0]
  let day = { sum: 0, rows: 0 }
  for (let hour = REFERENCE; hour < REFERENCE + YEAR; hour += 1) {
    const seen = stream.at(hour)
    if (shift) {
      const detection = detect(model, shift, { state, seen })
      state = detection.state
      if (detection.alarm) alarms += 1
    }
    if (Math.abs(seen.mean - limits.mean) > 3 * limits.deviation) hourly += 1
    day = { sum: day.sum + seen.rows * seen.mean, rows: day.rows + seen.rows }
    if (hour % DAY < DAY - 1) continue
    if (Math.abs(day.sum / day.rows - limits.ofRows) > 1.96 * Math.sqrt(1 / day.rows + 1 / limits.rows)) daily += 1
    day = { sum: 0, rows: 0 }
  }
  return { alarms, hourly, daily, state }
}

type ControlLimits = {
  /** Of the means of hours. */
  readonly mean: number
  readonly deviation: number
  /** Of rows. */
  readonly ofRows: number
  readonly rows: number
}

function controlLimits(reference: readonly StreamHour[]): ControlLimits {
  const mean = reference.reduce((sum, each) => sum + each.mean, 0) / reference.length
  const rows = reference.reduce((sum, each) => sum + each.rows, 0)
  return {
    mean,
    deviation: Math.sqrt(reference.reduce((sum, each) => sum + (each.mean - mean) ** 2, 0) / reference.length),
    ofRows: reference.reduce((sum, each) => sum + each.rows * each.mean, 0) / rows,
    rows,
  }
}

/** From the end of the year on, at an hour of the week that the stream is at. */
function findShift({ stream, reference, model, shift }: Feature, before: DetectorState): YearTrial['found'] {
  if (!shift) return undefined
  let state = before
  for (let took = 1; took <= MOST_DELAY; took += 1) {
    const hour = REFERENCE + YEAR + took - 1
    const detection = detect(model, shift, { state, seen: stream.at(hour, MATTERS) })
    state = detection.state
    if (detection.alarm === 'up') return { took, foretold: detectionDelay(model, shift, reference) }
  }
  return { took: Infinity, foretold: detectionDelay(model, shift, reference) }
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
