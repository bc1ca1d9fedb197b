// What is known of the quality of precisions, in words: below a plan, and as derivations.

import type { ServingPlan } from '@ironlaw/contracts'
import type { QualityVerdict } from '@ironlaw/planner'
import { showPoints } from '@ironlaw/units'
import { derivationText } from './derivation.ts'

/** One line for each suite on which the precision of the plan was measured. */
export function qualityLines({ precision, quality }: ServingPlan): readonly string[] {
  if (!quality) return []
  const { rule, measured } = quality
  const ofReference = rule?.reference === precision && measured.length === 0
  return [
    ...(ofReference ? [`Quality: ${precision} is the reference, which needs no measurement.`] : []),
    ...measured.map(({ suite, reference, items, drop, low, high }) => {
      const within = rule?.suite === suite && rule.reference === reference ? `, within the margin of ${showPoints(rule.margin)}` : ''
      return `Quality: ${precision} scores ${showPoints(drop)} points below ${reference} on ${suite} (${showPoints(low)} to ${showPoints(high)}, ${items.toLocaleString('en')} items)${within}.`
    }),
  ]
}

/** Beside the cost of a plan: on the suite of its rule, or on each. */
export function dropCell({ precision, quality }: Pick<ServingPlan, 'precision' | 'quality'>): string {
  const { rule, measured = [] } = quality ?? {}
  const shown = measured.filter(({ suite }) => rule === undefined || suite === rule.suite)
  if (shown.length === 0) return rule?.reference === precision ? 'reference' : ''
  return shown.map(({ suite, drop, low, high }) => `${showPoints(drop)} (${showPoints(low)} to ${showPoints(high)}) on ${suite}`).join(', ')
}

/** Drops with their sources, and the items that would decide. */
export const qualityDerivations = (verdicts: readonly QualityVerdict[]): readonly string[] =>
  verdicts.flatMap(({ precision, measured, itemsNeeded }) =>
    measured
      ? [
          derivationText(`${precision}: drop`, measured.drop.value),
          derivationText(`${precision}: upper bound of the drop`, measured.drop.high),
          ...(itemsNeeded ? [derivationText(`${precision}: items needed`, itemsNeeded)] : []),
        ]
      : [],
  )
