// Nodes and their accelerators in words and tables.

import type { NodeView } from '@ironlaw/contracts/api'
import { table } from '../table.ts'

export const nodesTable = (nodes: readonly NodeView[]): string =>
  table(
    ['NODE', 'STATE', 'SLOTS FREE', 'ACCELERATORS FREE', 'REASON'],
    nodes.map(({ name, state, slots, free, devices = [], reason = '' }) => [
      name,
      state,
      `${free} of ${slots}`,
      devices.map((each) => `${each.free} of ${each.total} ${each.kind}`).join(', '),
      reason,
    ]),
    [2],
  )

/** Of nodes in service, by kind: `, 6 of 8 gpu:h100`. Empty where the cluster counts none. */
export function devicesInUse(nodes: readonly NodeView[]): string {
  const counts = new Map<string, { total: number; free: number }>()
  for (const { devices = [], state } of nodes)
    for (const { kind, total, free } of state === 'idle' || state === 'busy' ? devices : []) {
      const sum = counts.get(kind) ?? { total: 0, free: 0 }
      counts.set(kind, { total: sum.total + total, free: sum.free + free })
    }
  return [...counts].map(([kind, { total, free }]) => `, ${total - free} of ${total} ${kind}`).join('')
}
