import { IronlawError } from '@ironlaw/contracts'
import type { Evaluation } from '@ironlaw/contracts/evaluation'
import { checkWhole, type ReadEvaluation } from '@ironlaw/evaluations'
import { compareResults, compareStage, type Comparison, type ComparisonRule, riskOfOne } from '@ironlaw/policies/evaluation'

export type JudgedComparison = Comparison & { readonly rule: ComparisonRule }

/** One that was asked until its verdict was sure keeps that verdict: another test of the same items would be one more chance to err. */
export function comparisonOf(before: ReadEvaluation, after: ReadEvaluation, rule: ComparisonRule): JudgedComparison {
  checkWhole(before.evaluation)
  if (after.evaluation.sequential?.against.results === before.evaluation.results) {
    const staged = stagedComparison(before, after)
    checkAsStrict(after.evaluation, staged.rule, rule)
    return staged
  }
  checkWhole(after.evaluation)
  return { ...compareResults(before.results, after.results, rule), rule }
}

/** As it was judged when it ended. */
export function stagedComparison(before: ReadEvaluation, { evaluation, results }: ReadEvaluation): JudgedComparison {
  const { sequential, slices } = evaluation
  if (!sequential) throw new Error('an evaluation that ran against another one says how it ended')
  const { margin, risk, looks, stage } = sequential
  const parts = [...new Set(slices.map(({ slice }) => slice))]
  const rule = { margin, risk: { falseBlock: risk.false_block, miss: risk.miss }, looks, slices: parts }
  return { ...compareStage({ before: before.results, after: results }, rule, stage), rule }
}

function checkAsStrict({ name, model }: Evaluation, own: ComparisonRule, asked: ComparisonRule): void {
  const [ownRisk, askedRisk] = [riskOfOne(own).risk, riskOfOne(asked).risk]
  if (own.margin <= asked.margin && ownRisk.falseBlock <= askedRisk.falseBlock && ownRisk.miss <= askedRisk.miss) return
  const ruleText = ({ margin, risk: { falseBlock, miss }, looks }: ComparisonRule): string =>
    `margin ${margin}, risks ${falseBlock} and ${miss}, looks ${looks}`
  throw new IronlawError('IL_VIOLATED', {
    problem: `${name} of ${model.id} was asked until its verdict was sure by a weaker rule (${ruleText(own)}) than is asked for (${ruleText(asked)})`,
    next: `ask for no more than that, or evaluate ${model.id} again without --against`,
  })
}

/** A judge sees only a part of a difference that is there, so the margin becomes that part. */
export const seenMargin = (before: ReadEvaluation, after: ReadEvaluation, margin: number): number =>
  margin * Math.min(seenShare(before), seenShare(after))

/** How much of a true difference shows in the verdicts of a judge at least; all of it where nothing is judged. */
function seenShare({ evaluation: { judge, name } }: ReadEvaluation): number {
  if (!judge) return 1
  const { refused, sensitivity, specificity } = judge
  if (refused === undefined && sensitivity && specificity) return sensitivity.low + specificity.low - 1
  throw new IronlawError('IL_VIOLATED', {
    problem: `${name}: its judge is not corrected: ${refused ?? 'nothing is known of its errors'}`,
    next: 'label more answers of the items (labelled), or use a better judge, and evaluate again',
  })
}
