// Whether two runs differ by more than noise. Runs of one recipe say how far apart equal runs are; where neither was repeated, the steps that both did
// bound it from below: what is within their noise is noise, what is beyond may still be the seed or the machine.

import type { ResultDifference } from '@ironlaw/contracts/run-diff'
import { studentQuantile } from '@ironlaw/laws/student'
import { countOf, longRunVariance, meanOf, type Spread, withValue } from '../rollout/long-run-variance.ts'

type Judged = NonNullable<ResultDifference['judged']>

/** Of a two-sided 90 % interval. */
const SHARE = 0.95
/** Fewer neighbours say nothing of how long they stay alike. */
const LEAST_STEPS = 32

/** Where neighbours are alike for long, the variance rests on as few batches as it is taken from at all: eight. */
const BATCH_FREEDOM = 7

/** Values of the runs of each recipe, with the run itself; two groups, or one where the recipe is the same. */
export function judgeByRepetitions(difference: number, groups: readonly (readonly number[])[]): Judged | undefined {
  const freedom = groups.reduce((sum, group) => sum + Math.max(0, group.length - 1), 0)
  if (freedom === 0) return undefined
  const squares = groups.reduce((sum, group) => sum + squaresOf(group), 0)
  // Each of the two runs is off by that much. They are among the values themselves, which makes the margin too wide rather than too narrow.
  const margin = studentQuantile(SHARE, freedom) * Math.sqrt((2 * squares) / freedom)
  return {
    verdict: Math.abs(difference) <= margin ? 'within noise' : 'beyond noise',
    low: difference - margin,
    high: difference + margin,
    from: 'repetitions',
    count: groups.reduce((sum, group) => sum + group.length, 0),
  }
}

function squaresOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
}

/** Of a measure at steps that both runs did, in their order: neighbours are alike, so the variance is that of means of many. */
export function judgeBySteps(differences: readonly number[]): { readonly difference: number; readonly judged: Judged } | undefined {
  if (differences.length < LEAST_STEPS) return undefined
  const spread = differences.reduce<Spread>(withValue, [])
  const difference = meanOf(spread)
  const margin = studentQuantile(SHARE, BATCH_FREEDOM) * Math.sqrt(longRunVariance(spread) / countOf(spread))
  const [low, high] = [difference - margin, difference + margin]
  return {
    difference,
    judged: {
      verdict: low <= 0 && high >= 0 ? 'within noise' : 'noise between runs unknown',
      low,
      high,
      from: 'steps',
      count: differences.length,
    },
  }
}
