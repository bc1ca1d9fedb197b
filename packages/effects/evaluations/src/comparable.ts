import { IronlawError } from '@ironlaw/contracts'
import type { Evaluation } from '@ironlaw/contracts/evaluation'
import { instrumentDifferences } from '@ironlaw/policies/evaluation'

type Measured = Pick<Evaluation, 'instrument' | 'items'>

/** Fields of the instrument that may differ, and what to do where others do. */
type ComparedAcross = { readonly across: readonly string[]; readonly next?: string }

const SAME_INSTRUMENT = 'evaluate both models by the same engine and settings; --across FIELD compares all the same'

/** A difference between instruments would be taken for one between models. */
export function checkComparable(before: Measured, after: Measured, { across, next = SAME_INSTRUMENT }: ComparedAcross): void {
  const differing = instrumentDifferences(before.instrument, after.instrument).filter(({ field }) => !across.includes(field))
  if (differing.length > 0)
    throw new IronlawError('IL_VIOLATED', {
      problem: `the evaluations are by different instruments: ${differing.map(({ field, before: was, after: is }) => `${field} (${was}, then ${is})`).join(', ')}`,
      next,
    })
  if (before.items.digest !== after.items.digest)
    throw new IronlawError('IL_VIOLATED', {
      problem: `the evaluations are of different items: ${before.items.count} with digest ${before.items.digest.slice(0, 12)}, then ${after.items.count} with ${after.items.digest.slice(0, 12)}`,
      next: 'evaluate both models on one version of the items',
    })
}

/** What was asked until a verdict on one other model was sure says nothing sure about a third. */
export function checkWhole({ name, model, items, sequential }: Evaluation): void {
  if (!sequential || sequential.asked === items.count) return
  throw new IronlawError('IL_VIOLATED', {
    problem: `${name} of ${model.id} stopped after ${sequential.asked} of ${items.count} items, as its verdict against ${sequential.against.model} was sure: it decides nothing else`,
    next: `evaluate ${model.id} again without --against, which asks all items`,
  })
}
