// What a step of an engine costs, from steps of a real one under load: a time by the number of answers in it (llama.cpp's is no straight
// line), for each key that they read, for each prompt that begins, its tokens, and the pairs of one with an earlier one. Every other row
// is held out to measure how good the fit is.

import { median } from '@ironlaw/laws/quantile'
import { fitCosts, type TimedRow } from '../calibration/fit.ts'
import { type Figure, figureOf } from '../calibration/samples.ts'
import type { ObservedStep } from './engine-steps.ts'

export type EngineCosts = {
  /** A step with N answers and no keys to read, by rising N; linear in between. */
  readonly decode: readonly { readonly sequences: number; readonly seconds: number }[]
  readonly decodeKey_s: number
  readonly prefillSequence_s: number
  readonly prefillToken_s: number
  readonly prefillPair_s: number
  /** Beside its steps, once a request. */
  readonly request_s: number
}

/** Steps of engines while a given number of them were busy. */
export type EngineReadings = { readonly copies: number; readonly steps: readonly ObservedStep[] }

export type FittedEngine = {
  readonly costs: EngineCosts
  readonly rows: number
  /** Relative errors of the rows that the fit has not seen; `total` is that of their sum. */
  readonly heldOut: { readonly median: number; readonly total: number; readonly rows: number }
  /** Factor on the time of a step by the number of busy engines, from one on. */
  readonly sharing: readonly Figure[]
}

type Load = Omit<ObservedStep, 'from_s' | 'until_s' | 'begun'>

const unitsOf = (knots: readonly number[], load: Load): readonly number[] => [
  load.decodeKeys,
  load.prefillSequences,
  load.prefillTokens,
  load.prefillPairs,
  load.busy ? 0 : 1,
  ...weightsOf(knots, load.decodeSequences),
]

/** How far it is from each knot to the next, so that no cost, which is never negative, makes a larger batch faster. */
const weightsOf = (knots: readonly number[], sequences: number): readonly number[] =>
  knots.map((knot, index) => {
    const before = knots[index - 1] ?? 0
    return Math.max(0, Math.min(1, (sequences - before) / (knot - before)))
  })

const secondsOf = (units: readonly number[], costs: readonly number[]): number =>
  units.reduce((sum, count, part) => sum + count * (costs[part] ?? 0), 0)

/**
 * Steps of one kind (N answers, with prompts or without) whose times add up to at least this make one row of the fit: when exactly a
 * token is seen wanders by as much as a short step takes, sums do not; and rows that mix kinds leave small batches, which take little time
 * beside a prompt, undecided (measured: 2.2 ms where steps took 2.9).
 */
const ROW_S = 0.05

function rowsOf(knots: readonly number[], steps: readonly ObservedStep[]): readonly TimedRow[] {
  const kinds = Map.groupBy(steps, ({ decodeSequences, prefillSequences }) => 2 * decodeSequences + (prefillSequences > 0 ? 1 : 0))
  return [...kinds.values()].flatMap((alike) => {
    const rows: TimedRow[] = []
    let units: readonly number[] | undefined
    let seconds = 0
    for (const step of alike) {
      const more = unitsOf(knots, step)
      units = units?.map((unit, part) => unit + (more[part] ?? 0)) ?? more
      seconds += step.until_s - step.from_s
      if (seconds < ROW_S) continue
      rows.push({ units, seconds })
      units = undefined
      seconds = 0
    }
    return rows
  })
}

/** `knots` are the batches between which the curve is straight. */
export function fitEngine(readings: readonly EngineReadings[], knots: readonly number[]): FittedEngine {
  const alone = readings.flatMap(({ copies, steps }) => (copies === 1 ? rowsOf(knots, steps) : []))
  const [seen, held] = [0, 1].map((side) => alone.filter((_, index) => index % 2 === side))
  // A batch that was never seen has no cost of its own.
  const costs = fitCosts(seen ?? []).costs.map((cost) => (Number.isFinite(cost) ? cost : 0))
  const [decodeKey_s = 0, prefillSequence_s = 0, prefillToken_s = 0, prefillPair_s = 0, request_s = 0, ...curve] = costs
  const ratio = (rows: readonly TimedRow[]): number =>
    rows.reduce((sum, { seconds }) => sum + seconds, 0) / rows.reduce((sum, { units }) => sum + secondsOf(units, costs), 0)
  const most = Math.max(...readings.map(({ copies }) => copies))
  return {
    costs: {
      decode: knots.map((sequences, index) => ({ sequences, seconds: curve.slice(0, index + 1).reduce((sum, more) => sum + more, 0) })),
      decodeKey_s,
      prefillSequence_s,
      prefillToken_s,
      prefillPair_s,
      request_s,
    },
    rows: seen?.length ?? 0,
    heldOut: {
      median: median((held ?? []).map(({ units, seconds }) => Math.abs(secondsOf(units, costs) / seconds - 1))),
      total: 1 / ratio(held ?? []) - 1,
      rows: held?.length ?? 0,
    },
    sharing: Array.from({ length: most }, (_, index) =>
      figureOf(readings.flatMap(({ copies, steps }) => (copies === index + 1 ? [ratio(rowsOf(knots, steps))] : []))),
    ),
  }
}
