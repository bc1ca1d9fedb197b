// An evaluation before it runs: how long it takes, and what it can decide. Time comes from a few items that were asked of the engine with as many
// others beside them as the run will have; what can be decided from the number of items and the share of them on which two models differ.

import { studentQuantile } from '@ironlaw/laws/student'
import { askedShare, fixedInformation, type GateRule, riskOfOne, verdictChances, type VerdictChances } from '@ironlaw/policies/evaluation'

/** An item that was asked while the engine was as busy as it will be. */
type ProbedItem = { readonly size: number; readonly ms: number; readonly tokens_in: number; readonly tokens_out: number }

type EvaluationProbe = {
  readonly items: readonly ProbedItem[]
  /** Wall time in which they were completed. */
  readonly time_s: number
}

export type EvaluationQuestion = {
  /** Characters that the engine reads for each item. */
  readonly sizes: readonly number[]
  readonly repeats: number
  readonly probe?: EvaluationProbe
  readonly rule: GateRule & { readonly looks: number }
  /** Share of the items on which two models differ. */
  readonly differing: number
}

type Estimate = { readonly value: number; readonly low: number; readonly high: number }

export type EvaluationForecast = {
  readonly time_s?: Estimate
  readonly tokens_in?: number
  readonly tokens_out?: number
  /** Smallest drop that is seen with both risks. */
  readonly visible_drop: number
  readonly items_needed: number
  readonly items_short: number
  /** Of the verdicts on a model that is equal, and on one worse by the margin. */
  readonly equal: VerdictChances
  readonly worse: VerdictChances
  /** Share of the items asked in the mean where the run may stop, for the same two models. */
  readonly asked: { readonly equal: number; readonly worse: number }
  /** How much larger a drop must be to be seen than with a single look. */
  readonly looks_factor: number
}

export function forecastEvaluation(question: EvaluationQuestion): EvaluationForecast {
  const { sizes, rule, differing, probe, repeats } = question
  const one = riskOfOne(rule)
  const information = fixedInformation({ ...one, margin: 1 })
  const items = sizes.length
  const items_needed = Math.ceil((information * differing) / rule.margin ** 2)
  const chancesAt = (difference: number): VerdictChances => verdictChances({ items, differing, difference }, one)
  const askedAt = (difference: number): number => askedShare(one, { items, differing, difference })
  return {
    ...(probe && probe.items.length > 0 && costOf(sizes, probe, repeats)),
    visible_drop: Math.min(1, Math.sqrt((information * differing) / items)),
    items_needed,
    items_short: Math.max(0, items_needed - items),
    equal: chancesAt(0),
    worse: chancesAt(-rule.margin),
    asked: { equal: askedAt(0), worse: askedAt(-rule.margin) },
    looks_factor: Math.sqrt(information / fixedInformation({ margin: 1, risk: rule.risk })),
  }
}

/** 5 % on either side. */
const TAIL = 0.05
/** What an engine's speed varies by between probe and run: the spread over 20 suites on a busy machine of two cores (`npm run e2e:evaluation`). */
const DRIFT = 0.15

function costOf(sizes: readonly number[], { items: probed, time_s }: EvaluationProbe, repeats: number) {
  const workOf = workBySize(probed)
  const total = sizes.reduce((sum, size) => sum + workOf(size), 0)
  const seen = probed.reduce((sum, { size }) => sum + workOf(size), 0)
  const value = repeats * time_s * (total / seen)
  const relative = Math.hypot(relativeError(probed, workOf) * Math.sqrt(Math.max(0, 1 - probed.length / sizes.length)), DRIFT)
  const reach = studentQuantile(1 - TAIL, Math.max(1, probed.length - 2)) * relative
  const scaled = (field: 'tokens_in' | 'tokens_out'): number => {
    const sum = probed.reduce((before, item) => before + item[field], 0)
    // Tokens are read in proportion to the text, and written by items of any size.
    const [all, own] = field === 'tokens_in' ? [sumOf(sizes), sumOf(probed.map(({ size }) => size))] : [sizes.length, probed.length]
    return Math.round((repeats * sum * all) / Math.max(1, own))
  }
  return {
    time_s: { value, low: value / (1 + reach), high: value * (1 + reach) },
    tokens_in: scaled('tokens_in'),
    tokens_out: scaled('tokens_out'),
  }
}

/** Time of an item by its size: a line through what was measured, that neither falls nor begins below nothing. */
function workBySize(probed: readonly ProbedItem[]): (size: number) => number {
  const count = probed.length
  const [meanSize, mean_ms] = [sumOf(probed.map(({ size }) => size)) / count, sumOf(probed.map(({ ms }) => ms)) / count]
  const spread = probed.reduce((sum, { size }) => sum + (size - meanSize) ** 2, 0)
  const common = probed.reduce((sum, { size, ms }) => sum + (size - meanSize) * (ms - mean_ms), 0)
  const slope = spread === 0 ? 0 : Math.min(Math.max(0, common / spread), mean_ms / Math.max(1, meanSize))
  return (size) => Math.max(Number.MIN_VALUE, mean_ms + slope * (size - meanSize))
}

/** Of the mean time of an item, from what its size does not explain. */
function relativeError(probed: readonly ProbedItem[], workOf: (size: number) => number): number {
  const squares = probed.reduce((sum, { size, ms }) => sum + (ms - workOf(size)) ** 2, 0)
  const mean_ms = sumOf(probed.map(({ ms }) => ms)) / probed.length
  return Math.sqrt(squares / Math.max(1, probed.length - 2) / probed.length) / Math.max(Number.MIN_VALUE, mean_ms)
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** So many places of a list, from the smallest item to the largest: what a probe asks about. */
export function probedPlaces(sizes: readonly number[], wanted: number): readonly number[] {
  const bySize = sizes.map((size, place) => ({ size, place })).toSorted((a, b) => a.size - b.size || a.place - b.place)
  const count = Math.min(wanted, sizes.length)
  const chosen = Array.from({ length: count }, (_, index) => bySize[Math.floor(((index + 0.5) * sizes.length) / count)]?.place ?? 0)
  // Not by size, so that small and large are asked beside each other, as in a run.
  return chosen
    .map((place, index) => ({ place, at: Math.imul(index + 1, 0x9e3779b1) >>> 0 }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ place }) => place)
}
