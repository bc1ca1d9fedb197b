// How full a plan keeps the hardware: one line for the fullest resource, and under --explain all of them.

import type { Capacity } from '@ironlaw/contracts'
import { byFullness, CAPACITY_WORDS } from '@ironlaw/planner'
import { quantity, show, showPercent } from '@ironlaw/units'
import { paint } from '../paint.ts'
import { table } from '../table.ts'

export function fullestText(capacities: readonly Capacity[]): string {
  const [first, second] = byFullness(capacities)
  if (!first) return ''
  const next = second ? `, then ${CAPACITY_WORDS[second.resource]} (${showPercent(second.share, 0)})` : ''
  return `fullest: ${CAPACITY_WORDS[first.resource]} (${showPercent(first.share, 0)})${next}`
}

const BAR = 40

export const capacityTable = (title: string, capacities: readonly Capacity[]): string =>
  table(
    [title, 'used', 'of', ''],
    byFullness(capacities).map(({ resource, share, has, unit }) => [
      CAPACITY_WORDS[resource],
      showPercent(share),
      show(quantity(has, unit), unit),
      paint('cyan', '█'.repeat(Math.round(BAR * Math.min(1, share)))),
    ]),
    [1, 2],
  )
