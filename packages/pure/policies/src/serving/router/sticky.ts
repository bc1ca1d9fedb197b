// A session stays on the replica with the highest hash for it (rendezvous hashing): when one goes, only its sessions move. A replica too
// far ahead of the mean passes the session to its next choice.

import { mixedHash } from '../hash.ts'
import { outstanding_s } from '../replica-load.ts'
import { leastTokens } from './least-tokens.ts'
import type { RouteView } from './route-view.ts'

const BOUND = 2
/** Below this a replica is never too busy for its session, whatever the mean of an idle fleet. */
const SLACK_S = 1

export function sticky(view: RouteView): number {
  const { replicas, request } = view
  if (request.session === undefined) return leastTokens(view)
  let sum = 0
  for (const load of replicas) sum += outstanding_s(load)
  const bound = (BOUND * sum) / replicas.length + SLACK_S
  let best = -1
  let highest = -1
  for (let index = 0; index < replicas.length; index += 1) {
    const load = replicas[index]
    if (!load?.ready || outstanding_s(load) > bound) continue
    const score = mixedHash(request.session, index)
    if (score > highest) {
      highest = score
      best = index
    }
  }
  return best === -1 ? leastTokens(view) : best
}
