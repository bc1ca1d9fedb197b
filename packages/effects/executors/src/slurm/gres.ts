// Slurm's generic resources as accelerators: `gpu:h100:4(S:0-1),nic:1` is four h100.

import type { DeviceCount } from '@ironlaw/contracts'

/** Resources that are no accelerators, and fractions of accelerators that are counted already. */
const OTHERS: ReadonlySet<string> = new Set(['nic', 'bandwidth', 'craynetwork', 'mps', 'shard'])

/** By kind, from `Gres` and `GresUsed` of one node. `isReady`: whether the node takes jobs. */
export function devicesIn(
  { total, used }: { readonly total: string; readonly used: string },
  isReady: boolean,
): readonly DeviceCount[] | undefined {
  const taken = countsIn(used)
  const devices = [...countsIn(total)].map(([kind, count]) => ({
    kind,
    total: count,
    free: isReady ? Math.max(0, count - (taken.get(kind) ?? 0)) : 0,
  }))
  return devices.length === 0 ? undefined : devices
}

/** What stands in parentheses is where they are, and may hold commas: `gpu:h100:2(IDX:0,2)`. */
function countsIn(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const part of text.replaceAll(/\([^)]*\)/g, '').split(',')) {
    const [, kind = '', count = ''] = /^(\w+(?::[\w.-]+)?):(\d+)$/.exec(part.trim()) ?? []
    if (kind !== '' && !OTHERS.has(kind.split(':')[0] ?? '')) counts.set(kind, (counts.get(kind) ?? 0) + Number(count))
  }
  return counts
}
