// How a stream moves while nothing is wrong, learnt from reference hours: a level, the hour of the day, the day of the week, and a part that wanders from hour to
// hour and comes back (first-order autoregression), seen through the noise of as many rows as the hour had.

import type { StreamHour } from './streams.ts'

export type StreamModel = {
  readonly level: number
  /** Added in each hour of the day and on each day of the week, UTC; each of mean zero. */
  readonly hours: readonly number[]
  readonly days: readonly number[]
  /** Of the part that wanders: its variance, and how much of it is left an hour later. */
  readonly wander: number
  readonly kept: number
  /** Of one row. */
  readonly variance: number
  /** Standard error of the level. */
  readonly error: number
}

const HOURS = 24
const DAYS = 7
/** Of the days, so that Monday is 0: 1970 began on a Thursday. */
const FIRST_DAY = 3
/** Sweeps over level, hours and days; each halves what is left of the error at least. */
const SWEEPS = 8
/** Deviations beyond which an hour is a burst, which the wandering part is not learnt from. */
const BURST = 4
const MEDIAN_OF_ABSOLUTE = 1.4826
const MOST_KEPT = 0.98

export const hourOfDay = (hour: number): number => hour % HOURS
export const dayOfWeek = (hour: number): number => (Math.floor(hour / HOURS) + FIRST_DAY) % DAYS

export const expectedAt = ({ level, hours, days }: Pick<StreamModel, 'level' | 'hours' | 'days'>, hour: number): number =>
  level + (hours[hourOfDay(hour)] ?? 0) + (days[dayOfWeek(hour)] ?? 0)

/** `reference` is in the order of its hours. */
export function fitStream(reference: readonly StreamHour[], variance: number): StreamModel {
  const first = wanderOf(reference, { season: seasonOf(reference, { variance, wander: 0 }), variance })
  const season = seasonOf(reference, { variance, wander: first.wander })
  const { wander, kept } = wanderOf(reference, { season, variance })
  const noise = mean(reference.map(({ rows }) => variance / rows))
  const error = Math.sqrt((wander * (1 + kept)) / (1 - kept) / reference.length + noise / reference.length)
  return { ...season, wander, kept, variance, error }
}

type Season = Pick<StreamModel, 'level' | 'hours' | 'days'>

/** Effects in turns, each hour weighted by what it says; an effect that few hours speak of is drawn towards none. */
function seasonOf(reference: readonly StreamHour[], { variance, wander }: { readonly variance: number; readonly wander: number }): Season {
  const weights = reference.map(({ rows }) => 1 / (wander + variance / rows))
  let level = 0
  let hours: readonly number[] = Array.from({ length: HOURS }, () => 0)
  let days: readonly number[] = Array.from({ length: DAYS }, () => 0)
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    level += weightedMean(
      reference.map(({ hour, mean: own }) => own - expectedAt({ level, hours, days }, hour)),
      weights,
    )
    const besideHours = reference.map(({ hour, mean: own }) => own - level - (days[dayOfWeek(hour)] ?? 0))
    hours = effects(besideHours, { weights, count: HOURS, of: (index) => hourOfDay(reference[index]?.hour ?? 0) })
    const besideDays = reference.map(({ hour, mean: own }) => own - level - (hours[hourOfDay(hour)] ?? 0))
    days = effects(besideDays, { weights, count: DAYS, of: (index) => dayOfWeek(reference[index]?.hour ?? 0) })
  }
  return { level, hours, days }
}

type Grouping = { readonly weights: readonly number[]; readonly count: number; readonly of: (index: number) => number }

/** Empirical Bayes: how far apart the groups are beyond their own errors says how much of each is believed. */
function effects(values: readonly number[], { weights, count, of }: Grouping): readonly number[] {
  const sums = Array.from({ length: count }, () => ({ weight: 0, sum: 0 }))
  for (const [index, value] of values.entries()) {
    const group = sums[of(index)]
    const weight = weights[index] ?? 0
    if (!group) continue
    group.weight += weight
    group.sum += weight * value
  }
  const seen = sums.filter(({ weight }) => weight > 0)
  const centre = mean(seen.map(({ sum, weight }) => sum / weight))
  const between = mean(seen.map(({ sum, weight }) => (sum / weight - centre) ** 2 - 1 / weight))
  return sums.map(({ sum, weight }) => (weight === 0 || between <= 0 ? 0 : (sum / weight - centre) * (between / (between + 1 / weight))))
}

/** From the covariances one and two hours apart: the noise of rows is in neither. */
function wanderOf(
  reference: readonly StreamHour[],
  { season, variance }: { readonly season: Season; readonly variance: number },
): Pick<StreamModel, 'wander' | 'kept'> {
  const residuals = reference.map(({ hour, mean: own }) => own - expectedAt(season, hour))
  const limit = BURST * MEDIAN_OF_ABSOLUTE * median(residuals.map(Math.abs))
  const clipped = residuals.map((each) => Math.max(-limit, Math.min(limit, each)))
  const noise = mean(reference.map(({ rows }) => variance / rows))
  const wander = Math.max(0, mean(clipped.map((each) => each * each)) - noise)
  if (wander === 0) return { wander, kept: 0 }
  const [one, two] = [covariance(reference, clipped, 1), covariance(reference, clipped, 2)]
  const byOne = one / wander
  const kept = one > 0 && two > 0 ? (byOne + two / one) / 2 : byOne
  return { wander, kept: Math.max(0, Math.min(MOST_KEPT, kept)) }
}

/** Of hours that far apart; hours that nothing was counted in are not bridged. */
function covariance(reference: readonly StreamHour[], values: readonly number[], lag: number): number {
  let [sum, pairs] = [0, 0]
  for (let index = lag; index < values.length; index += 1) {
    if ((reference[index]?.hour ?? 0) - (reference[index - lag]?.hour ?? 0) !== lag) continue
    sum += (values[index] ?? 0) * (values[index - lag] ?? 0)
    pairs += 1
  }
  return pairs === 0 ? 0 : sum / pairs
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

function weightedMean(values: readonly number[], weights: readonly number[]): number {
  let [sum, all] = [0, 0]
  for (const [index, value] of values.entries()) {
    sum += value * (weights[index] ?? 0)
    all += weights[index] ?? 0
  }
  return all === 0 ? 0 : sum / all
}
