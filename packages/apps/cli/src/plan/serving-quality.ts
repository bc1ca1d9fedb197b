// What is known of the quality of precisions, in words: below a plan, and as derivations.

import type { ServingPlan } from '@ironlaw/contracts'
import { poolText, type QualityPoint, type QualityVerdict, type ServingPlanInputs } from '@ironlaw/planner'
import { dollars, show, showPoints } from '@ironlaw/units'
import { table } from '../table.ts'
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

/** What each precision costs, and what it is known to lose. */
export const qualityFrontText = (
  { suite, reference, margin }: NonNullable<ServingPlanInputs['quality']>,
  front: readonly QualityPoint[],
): readonly string[] => [
  `quality on ${suite} against cost; the margin is ${showPoints(margin)} points below ${reference}`,
  '',
  table(
    ['precision', 'drop in points', 'per hour', 'per M output tokens', 'devices', 'deployment', 'kept'],
    front.map(({ verdict, plan, beatenBy }) => {
      const { usd_per_hour, usd_per_million_tokens } = plan?.prediction ?? {}
      return [
        verdict.precision,
        measuredText(verdict),
        usd_per_hour === undefined ? '' : show(dollars(usd_per_hour), 'USD'),
        usd_per_million_tokens === undefined ? '' : show(dollars(usd_per_million_tokens), 'USD'),
        plan ? String(plan.devices) : '',
        plan ? `${plan.accelerator}, ${plan.pools.map(poolText).join(' + ')}` : 'nothing meets the objectives',
        `${verdict.refused === undefined ? 'yes' : `no, ${verdict.verdict}`}${beatenBy === undefined ? '' : `; ${beatenBy} beats it`}`,
      ]
    }),
    [2, 3, 4],
  ),
]

function measuredText({ verdict, measured }: QualityVerdict): string {
  if (!measured) return verdict === 'reference' ? 'reference' : 'not measured'
  const { value, low, high } = measured.drop
  return `${showPoints(value.value)} (${showPoints(low.value)} to ${showPoints(high.value)})`
}
