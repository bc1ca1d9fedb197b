import { IronlawError } from '@ironlaw/contracts'
import type { ReadEvaluation } from '@ironlaw/evaluations'
import { instrumentDifferences } from '@ironlaw/policies/evaluation'

/** Fields of the instrument that may differ, and what to do where others do. */
export type ComparedAcross = { readonly across: readonly string[]; readonly next?: string }

const SAME_INSTRUMENT = 'evaluate both models by the same engine and settings; --across FIELD compares all the same'

/** A difference between instruments would be taken for one between models. */
export function checkComparable(before: ReadEvaluation, after: ReadEvaluation, { across, next = SAME_INSTRUMENT }: ComparedAcross): void {
  const [one, other] = [before.evaluation, after.evaluation]
  const differing = instrumentDifferences(one.instrument, other.instrument).filter(({ field }) => !across.includes(field))
  if (differing.length > 0)
    throw new IronlawError('IL_VIOLATED', {
      problem: `the evaluations are by different instruments: ${differing.map(({ field, before: was, after: is }) => `${field} (${was}, then ${is})`).join(', ')}`,
      next,
    })
  if (one.items.digest !== other.items.digest)
    throw new IronlawError('IL_VIOLATED', {
      problem: `the evaluations are of different items: ${one.items.count} with digest ${one.items.digest.slice(0, 12)}, then ${other.items.count} with ${other.items.digest.slice(0, 12)}`,
      next: 'evaluate both models on one version of the items',
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
