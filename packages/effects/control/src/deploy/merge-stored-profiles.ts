// Stored profiles as sums and figures.

import { DRAWN_FEATURES, type HourFigures } from '@ironlaw/contracts/profile-api'
import { discloseBins, LEAST_ROWS, type PackedProfile, percentileOfBins, ProfileSum } from '@ironlaw/policies/profile'
import type { MergedHour, MergedPart, ProfilePart } from '@ironlaw/store'

/** The contract checked what it was made of. */
const packedIn = (body: string): PackedProfile => JSON.parse(body)

export function sumOfParts(parts: readonly Pick<ProfilePart, 'body'>[]): ProfileSum {
  const sum = new ProfileSum()
  for (const { body } of parts) sum.add(packedIn(body))
  return sum
}

export const gatewaysOf = (parts: readonly Pick<ProfilePart, 'gateways'>[]): readonly string[] =>
  [...new Set(parts.flatMap(({ gateways }) => gateways))].toSorted()

/** From what is shown of the hour and nothing else. Tokens are whole. */
export function hourFigures(sum: ProfileSum): HourFigures {
  if (sum.rows < LEAST_ROWS) return {}
  const spreads = DRAWN_FEATURES.flatMap((feature) => {
    const bins = sum.bins(feature)
    if (bins.reduce((all, [, count]) => all + count, 0) < LEAST_ROWS) return []
    const shown = discloseBins(bins)
    const percentile = (share: number): number => Math.round(percentileOfBins(shown, share) ?? 0)
    return [[feature, { p50: percentile(0.5), p90: percentile(0.9) }] as const]
  })
  return { rows: sum.rows, ...Object.fromEntries(spreads) }
}

type Sum = { readonly revision: number; readonly class: string; readonly gateways: readonly string[]; readonly sum: ProfileSum }

/** Of every revision and class that there is, of all revisions, of all classes, and of all: what a query can ask for is one row. */
function sumsOf(parts: readonly ProfilePart[]): readonly Sum[] {
  const read = parts.map(({ body, ...rest }) => ({ ...rest, sum: sumOfParts([{ body }]) }))
  const single = sumsBy(read, (each) => each)
  return [
    ...single,
    ...sumsBy(single, (each) => ({ ...each, revision: 0 })),
    ...sumsBy(single, (each) => ({ ...each, class: '' })),
    ...sumsBy(single, (each) => ({ ...each, revision: 0, class: '' })),
  ]
}

function sumsBy(parts: readonly Sum[], groupOf: (part: Sum) => Pick<Sum, 'revision' | 'class'>): readonly Sum[] {
  const groups = Map.groupBy(parts, (part) => `${groupOf(part).revision} ${groupOf(part).class}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { revision, class: ofClass } = groupOf(first)
    const sum = new ProfileSum()
    for (const part of group) sum.addSum(part.sum)
    return [{ revision, class: ofClass, gateways: gatewaysOf(group), sum }]
  })
}

/** Sums over revisions or classes are kept as figures alone: a day has them as profiles. */
export const mergedHour = (parts: readonly ProfilePart[]): readonly MergedHour[] =>
  sumsOf(parts).map(({ sum, ...rest }) => ({
    ...rest,
    figures: hourFigures(sum),
    body: rest.revision === 0 || rest.class === '' ? null : JSON.stringify(sum.packed()),
  }))

export const mergedDay = (parts: readonly ProfilePart[]): readonly MergedPart[] =>
  sumsOf(parts).map(({ sum, ...rest }) => ({ ...rest, body: JSON.stringify(sum.packed()) }))
