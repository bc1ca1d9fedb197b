// Whether a model may replace another: not worse by a margin, with both errors bounded. "New at least as good as old" blocks an identical
// model in almost half of all comparisons at any size; a margin and an interval do not.

import { type DifferenceBounds, differenceBounds } from './difference-interval.ts'
import type { PairedDifference } from './paired-scores.ts'

export type EvaluationVerdict = 'as-good' | 'worse' | 'undecided'

/** How often an equal model may be refused, and one that is worse by the margin be let through. */
export type GateRisk = { readonly falseBlock: number; readonly miss: number }

export type GateRule = { readonly margin: number; readonly risk: GateRisk }

export type DifferenceJudgement = {
  readonly verdict: EvaluationVerdict
  readonly difference: number
  readonly bounds: DifferenceBounds
}

/**
 * As good: a drop by the margin is ruled out. Worse: equality is ruled out. A model that is a little worse, surely and by less than the margin,
 * is as good: the margin says that so much does not matter.
 */
export function judgeDifference(seen: PairedDifference, { margin, risk }: GateRule): DifferenceJudgement {
  const bounds = differenceBounds(seen, { below: risk.miss, above: risk.falseBlock })
  const verdict = bounds.low > -margin ? 'as-good' : bounds.high < 0 ? 'worse' : 'undecided'
  return { verdict, difference: seen.mean, bounds }
}

/**
 * The same question of several slices. One that is worse suffices to refuse, so what may be refused in error is divided among them; all must be
 * as good to pass, and then a miss in any one of them is a miss of that one, which its own level bounds.
 */
export function judgeSlices(
  slices: ReadonlyMap<string, PairedDifference>,
  { margin, risk }: GateRule,
  judgeOf = (each: GateRule) => (seen: PairedDifference) => judgeDifference(seen, each),
): Map<string, DifferenceJudgement> {
  const judge = judgeOf({ margin, risk: { falseBlock: risk.falseBlock / Math.max(1, slices.size), miss: risk.miss } })
  return new Map([...slices].map(([slice, seen]) => [slice, judge(seen)]))
}

export function verdictOfAll(judgements: Iterable<DifferenceJudgement>): EvaluationVerdict {
  const verdicts = new Set([...judgements].map(({ verdict }) => verdict))
  return verdicts.has('worse') ? 'worse' : verdicts.has('undecided') ? 'undecided' : 'as-good'
}
