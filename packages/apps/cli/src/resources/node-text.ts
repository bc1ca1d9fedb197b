// Nodes and their accelerators in words and tables.

import type { NodeView } from '@ironlaw/contracts/api'
import { bytesPerSecond, flopPerSecond, show } from '@ironlaw/units'
import { table } from '../table.ts'

export const nodesTable = (nodes: readonly NodeView[]): string =>
  table(
    ['NODE', 'STATE', 'SLOTS FREE', 'ACCELERATORS FREE', 'LAST CHECK', 'REASON'],
    nodes.map(({ name, state, slots, free, devices = [], readings = [], reason = '' }) => [
      name,
      state,
      `${free} of ${slots}`,
      devices.map((each) => `${each.free} of ${each.total} ${each.kind}`).join(', '),
      readings.map(readingText).join('; '),
      reason,
    ]),
    [2],
  )

type Reading = NonNullable<NodeView['readings']>[number]

function readingText({ kind, product_flops, memory_bytes_per_s, link_bytes_per_s }: Reading): string {
  const rates = [show(flopPerSecond(product_flops), 'FLOP/s'), show(bytesPerSecond(memory_bytes_per_s), 'B/s')]
  if (link_bytes_per_s !== undefined) rates.push(`link ${show(bytesPerSecond(link_bytes_per_s), 'B/s')}`)
  return `${kind === '' ? '' : `${kind} `}${rates.join(', ')}`
}

/** Accelerators of nodes in service, by kind: `, 6 of 8 gpu:h100`. Empty if the cluster reports none. */
export function devicesInUse(nodes: readonly NodeView[]): string {
  const counts = new Map<string, { total: number; free: number }>()
  for (const { devices = [], state } of nodes)
    for (const { kind, total, free } of state === 'idle' || state === 'busy' ? devices : []) {
      const sum = counts.get(kind) ?? { total: 0, free: 0 }
      counts.set(kind, { total: sum.total + total, free: sum.free + free })
    }
  return [...counts].map(([kind, { total, free }]) => `, ${total - free} of ${total} ${kind}`).join('')
}
