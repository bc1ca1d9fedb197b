// Which precisions a quality rule keeps: those whose measured drop is shown to be within the margin. What is undecided is not planned, and says
// what would decide it.

import type { Catalog, Facts } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { explain } from '@ironlaw/laws'
import { itemsWithinMargin } from '@ironlaw/laws/experiments/sample-size'
import { givenValue, type Known, showPoints } from '@ironlaw/units'
import { type ServingPrecisionName, USUAL_PRECISIONS } from './precision.ts'
import type { QualityRule, ServingPlanInputs } from './serving-inputs.ts'

type MeasuredQuality = Facts<'quality'>

export type QualityVerdict = {
  readonly precision: ServingPrecisionName
  readonly verdict: 'reference' | 'as-good' | 'worse' | 'undecided'
  readonly measured?: MeasuredQuality
  /** With which the drop would be shown to be within the margin, if it stays as measured. */
  readonly itemsNeeded?: Known<'1'>
  /** Why the precision is not planned. */
  readonly refused?: string
}

type JudgedInputs = Pick<ServingPlanInputs, 'model' | 'cache' | 'precisions' | 'quality'>

/** Of every precision that may be chosen; none where the spec has no rule. */
export function qualityVerdicts(catalog: Catalog, wanted: JudgedInputs): readonly QualityVerdict[] {
  const { quality: rule, precisions = USUAL_PRECISIONS } = wanted
  return rule === undefined ? [] : precisions.map((precision) => verdictOf(catalog, { ...wanted, rule }, precision))
}

type Ruled = JudgedInputs & { readonly rule: QualityRule }

function verdictOf(catalog: Catalog, ruled: Ruled, precision: ServingPrecisionName): QualityVerdict {
  const { rule, cache } = ruled
  if (precision === rule.reference && cache === 'bf16') return { precision, verdict: 'reference' }
  const all = measuredQualities(catalog, ruled, precision).filter(({ suite }) => suite === rule.suite)
  const measured = all.find(({ reference }) => reference === rule.reference)
  if (!measured) return { precision, verdict: 'undecided', refused: unmeasuredText(ruled, precision, all[0]) }
  const { drop } = measured
  if (drop.high.value < rule.margin) return { precision, verdict: 'as-good', measured }
  const itemsNeeded = neededItems(measured, rule.margin)
  return {
    precision,
    verdict: drop.low.value > 0 ? 'worse' : 'undecided',
    measured,
    ...(itemsNeeded && { itemsNeeded }),
    refused: refusedText(measured, rule, itemsNeeded),
  }
}

/** On every suite on which the precision was measured. */
const measuredQualities = (
  catalog: Catalog,
  { model, quality, cache }: Pick<JudgedInputs, 'model' | 'quality' | 'cache'>,
  precision: string,
): readonly MeasuredQuality[] =>
  [...catalog.quality.values()]
    .map(({ facts }) => facts)
    .filter((facts) => facts.model === (quality?.model ?? model) && facts.precision === precision && facts.cache === cache)

function neededItems({ items, drop: { value: drop, high: bound } }: MeasuredQuality, margin: number): Known<'1'> | undefined {
  return drop.value < margin ? explain(itemsWithinMargin, { items, drop, bound, margin: givenValue(margin, '1') }) : undefined
}

const dropText = ({ drop: { value, low, high }, items }: MeasuredQuality): string =>
  `${showPoints(value.value)} points (${showPoints(low.value)} to ${showPoints(high.value)}, ${items.value.toLocaleString('en')} items)`

function refusedText(measured: MeasuredQuality, { margin }: QualityRule, itemsNeeded: Known<'1'> | undefined): string {
  const { suite, reference } = measured
  const shown = `scores ${dropText(measured)} below ${reference} on ${suite}, which is not shown to be within the margin of ${showPoints(margin)}`
  const change = itemsNeeded
    ? `about ${Math.ceil(itemsNeeded.value).toLocaleString('en')} items would show it if the drop stays as measured`
    : 'more items do not show it while the drop is as large'
  return `${shown}; ${change}, or a larger margin (quality.margin)`
}

function unmeasuredText({ rule, cache }: Ruled, precision: ServingPrecisionName, other: MeasuredQuality | undefined): string {
  const { suite, reference, model } = rule
  const flags = [
    `--model ${model}`,
    ...(reference === 'bf16' ? [] : [`--reference ${reference}`]),
    `--precision ${precision}`,
    ...(cache === 'bf16' ? [] : [`--cache ${cache}`]),
  ]
  const known = other ? `measured against ${other.reference}, not against ${reference}` : `not measured against ${reference}`
  return `undecided: ${model} with a ${cache} cache was ${known} on ${suite}; evaluate both precisions, and "ironlaw calibrate quality REFERENCE CANDIDATE ${flags.join(' ')}" keeps the drop`
}

/** What a plan says of its precision: every measured drop, and the rule that it was held to. */
export function planQuality(catalog: Catalog, wanted: JudgedInputs, precision: string): ServingPlan['quality'] {
  const { quality: rule } = wanted
  const measured = measuredQualities(catalog, wanted, precision).map(({ suite, reference, items, drop: { value, low, high } }) => ({
    suite,
    reference,
    items: items.value,
    drop: value.value,
    low: low.value,
    high: high.value,
    source: value.by.kind === 'source' ? `${value.by.ref}, ${value.by.asOf}` : value.by.kind,
  }))
  if (!rule && measured.length === 0) return undefined
  return { ...(rule && { rule: { suite: rule.suite, margin: rule.margin, reference: rule.reference } }), measured }
}
