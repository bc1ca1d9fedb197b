// The replica with the least work ahead, in seconds; equals go in turn, or the first would take every request of an idle fleet.

import { outstanding_s } from '../replica-load.ts'
import type { RouteView } from './route-view.ts'

export function leastTokens({ replicas, turn }: RouteView): number {
  const count = replicas.length
  let best = -1
  let least = Number.POSITIVE_INFINITY
  for (let step = 0; step < count; step += 1) {
    const index = (turn + step) % count
    const load = replicas[index]
    if (!load?.ready) continue
    const work = outstanding_s(load)
    if (work < least) {
      best = index
      least = work
    }
  }
  return best
}
