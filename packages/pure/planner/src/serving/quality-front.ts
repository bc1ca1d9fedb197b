// Quality against cost: of every precision the cheapest deployment that meets the objectives, with what is known of its quality.

import type { Catalog } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { planServing } from './plan-serving.ts'
import type { ServingPrecisionName } from './precision.ts'
import { type QualityVerdict, qualityVerdicts } from './quality.ts'
import type { ServingPlanInputs } from './serving-inputs.ts'

export type QualityPoint = {
  readonly verdict: QualityVerdict
  /** Whatever its quality; none where no deployment meets the objectives. */
  readonly plan?: ServingPlan
  /** A precision that costs no more and is shown to lose no more. */
  readonly beatenBy?: ServingPrecisionName
}

/** Cheapest first; none where the spec has no quality rule. */
export function qualityFrontFor(catalog: Catalog, wanted: ServingPlanInputs): readonly QualityPoint[] {
  const { quality: _, ...unruled } = wanted
  const planned = qualityVerdicts(catalog, wanted).map((verdict): QualityPoint => {
    const [plan] = planServing(catalog, { ...unruled, precisions: [verdict.precision] }, 1).plans
    return { verdict, ...(plan && { plan }) }
  })
  return rankedByCost(planned, wanted.goal)
}

export function rankedByCost(planned: readonly QualityPoint[], goal: ServingPlanInputs['goal']): readonly QualityPoint[] {
  const costOf = ({ plan }: QualityPoint): number =>
    plan === undefined ? Infinity : goal === 'devices' ? plan.devices : (plan.prediction.usd_per_hour ?? Infinity)
  return planned
    .map((point): QualityPoint => {
      const better = planned.find((other) => beats(place(other, costOf), place(point, costOf)))
      return better ? { ...point, beatenBy: better.verdict.precision } : point
    })
    .toSorted((a, b) => ascending(costOf(a), costOf(b)))
}

type Place = { readonly cost: number; readonly bound: number | undefined }

const place = (point: QualityPoint, costOf: (point: QualityPoint) => number): Place => ({
  cost: costOf(point),
  bound: point.verdict.verdict === 'reference' ? 0 : point.verdict.measured?.drop.high.value,
})

/** By the upper bounds of the drops: what was measured on few items is not known to be better. What was not measured beats nothing. */
const beats = (a: Place, b: Place): boolean =>
  a.bound !== undefined &&
  b.bound !== undefined &&
  Number.isFinite(a.cost) &&
  a.cost <= b.cost &&
  a.bound <= b.bound &&
  (a.cost < b.cost || a.bound < b.bound)

/** Also of two that are infinite. */
const ascending = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1)
