// Whether verdicts come as often as a plan says they will: pairs of models are drawn, the plan is made from what a pilot measured, and what it said is
// kept with what came.

import { type EvaluationVerdict, type GateRule, judgeDifference, pairedDifference, verdictChances } from '@ironlaw/policies/evaluation'
import { RandomStream } from '../kernel/random-stream.ts'

export type ForecastBin = {
  /** Of the bin, such as 0.75 and 0.85. */
  readonly from: number
  readonly to: number
  readonly forecasts: number
  /** Means of what was said and of what came. */
  readonly said: number
  readonly came: number
}

const VERDICTS = ['as-good', 'worse', 'undecided'] as const satisfies readonly EvaluationVerdict[]
const MARGINS = [0.02, 0.03, 0.05] as const
const RISKS = [0.05, 0.1, 0.2] as const
/** Items by which the share that differs was measured before. */
const PILOT_ITEMS = 1000
const EDGES = [0, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1] as const

type Forecast = { readonly said: number; readonly came: boolean }

/** Every pair gives three forecasts, one for each verdict. */
export function simulateForecasts({ pairs, seed }: { readonly pairs: number; readonly seed: number }): readonly ForecastBin[] {
  const forecasts = Array.from({ length: pairs }, (_, index) => forecastsOf(new RandomStream([seed, index]))).flat()
  return EDGES.slice(0, -1).map((from, index) => {
    const to = EDGES[index + 1] ?? 1
    const own = forecasts.filter(({ said }) => said >= from && (said < to || (to === 1 && said === 1)))
    const mean = (of: (forecast: Forecast) => number): number => own.reduce((sum, each) => sum + of(each), 0) / Math.max(1, own.length)
    return { from, to, forecasts: own.length, said: mean(({ said }) => said), came: mean(({ came }) => Number(came)) }
  })
}

function forecastsOf(random: RandomStream): readonly Forecast[] {
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random.uniform() * values.length)] as Value
  const risk = pick(RISKS)
  const rule: GateRule = { margin: pick(MARGINS), risk: { falseBlock: risk, miss: risk } }
  const differing = Math.max(rule.margin, 0.03 + 0.2 * random.uniform())
  const items = Math.round(100 * 30 ** random.uniform())
  const difference = -rule.margin * random.uniform()
  const measured = Array.from({ length: PILOT_ITEMS }, () => random.uniform() < differing).filter(Boolean).length / PILOT_ITEMS
  const said = verdictChances({ items, differing: measured, difference }, rule)
  const scores = Array.from({ length: items }, () => {
    const draw = random.uniform()
    if (draw < (differing - difference) / 2) return { before: 1, after: 0 }
    return draw < differing ? { before: 0, after: 1 } : { before: 1, after: 1 }
  })
  const { verdict } = judgeDifference(pairedDifference(scores), rule)
  return VERDICTS.map((each) => ({ said: said[each], came: each === verdict }))
}
