import { IronlawError } from '@ironlaw/contracts'
import type { ReadEvaluation } from '@ironlaw/evaluations'
import { instrumentDifferences } from '@ironlaw/policies/evaluation'

/** A difference between instruments would be taken for one between models. */
export function checkComparable(before: ReadEvaluation, after: ReadEvaluation, across: readonly string[]): void {
  const [one, other] = [before.evaluation, after.evaluation]
  const differing = instrumentDifferences(one.instrument, other.instrument).filter(({ field }) => !across.includes(field))
  if (differing.length > 0)
    throw new IronlawError('IL_VIOLATED', {
      problem: `the evaluations are by different instruments: ${differing.map(({ field, before: was, after: is }) => `${field} (${was}, then ${is})`).join(', ')}`,
      next: 'evaluate both models by the same engine and settings; --across FIELD compares all the same',
    })
  if (one.items.digest !== other.items.digest)
    throw new IronlawError('IL_VIOLATED', {
      problem: `the evaluations are of different items: ${one.items.count} with digest ${one.items.digest.slice(0, 12)}, then ${other.items.count} with ${other.items.digest.slice(0, 12)}`,
      next: 'evaluate both models on one version of the items',
    })
}
