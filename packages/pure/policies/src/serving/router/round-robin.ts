// Each ready replica in turn.

import type { RouteView } from './route-view.ts'

export function roundRobin({ replicas, turn }: RouteView): number {
  const count = replicas.length
  for (let step = 0; step < count; step += 1) {
    const index = (turn + step) % count
    if (replicas[index]?.ready) return index
  }
  return -1
}
