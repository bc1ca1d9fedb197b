// The account of capacities under every plan: how full each resource of a device is. A plan that fills one beyond what it has is no plan.

import type { Capacity, Resource } from '@ironlaw/contracts'

const UNITS = {
  arithmetic: 'FLOP/s',
  'memory bandwidth': 'B/s',
  memory: 'B',
  link: 'B/s',
  port: 'B/s',
  'host link': 'B/s',
  'host memory': 'B',
  drive: 'B/s',
} as const satisfies Readonly<Record<Resource, Capacity['unit']>>

export const capacityOf = (resource: Resource, share: number, has: number): Capacity => ({ resource, share, has, unit: UNITS[resource] })

/** As pages and tables name them. */
export const CAPACITY_WORDS: Readonly<Record<Resource, string>> = {
  arithmetic: 'arithmetic',
  'memory bandwidth': 'memory bandwidth',
  memory: 'memory',
  link: 'link inside the node',
  port: 'network between nodes',
  'host link': 'link to the host',
  'host memory': 'memory of the host',
  drive: 'drive of the host',
}

/** Fullest first. */
export const byFullness = (capacities: readonly Capacity[]): readonly Capacity[] => capacities.toSorted((a, b) => b.share - a.share)

/** Rounding of sums. */
const FULL = 1 + 1e-6

/** The rate that is used beyond what there is, if any. Whether memory suffices has a range of its own, and the search refuses what does not fit. */
export const overfilled = (capacities: readonly Capacity[]): Capacity | undefined =>
  byFullness(capacities).find(({ unit, share }) => unit !== 'B' && share > FULL)

export const overfilledText = ({ resource, share }: Capacity): string =>
  `it would use ${share.toFixed(2)} times the ${CAPACITY_WORDS[resource]} that a device has`
