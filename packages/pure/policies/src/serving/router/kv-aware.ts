// The replica where the request costs least, in predicted seconds: prefill of what is not cached, then decoding together with what runs. No
// replica may be ahead of the mean by more than a bound (consistent hashing with bounded loads, Mirrokni, Thorup and Zadimoghaddam
// 2018), so that a prefix everybody shares cannot make one replica everybody's. The bound leaves room for one reading of this prompt,
// which is the most that affinity can save: without it a conversation would leave its replica whenever the others are idle.

import { outstanding_s, predicted_s } from '../replica-load.ts'
import type { RouteView } from './route-view.ts'

/** Work ahead of one replica over the mean of all; 1.25 is the value of the paper's deployment. */
const BOUND = 1.25

export function kvAware({ replicas, request, cachedTokens, turn }: RouteView): number {
  const count = replicas.length
  const bound = BOUND * meanAhead_s(replicas)
  let best = -1
  let least = Number.POSITIVE_INFINITY
  let bounded = false
  for (let step = 0; step < count; step += 1) {
    const index = (turn + step) % count
    const load = replicas[index]
    if (!load?.ready) continue
    const within = outstanding_s(load) <= bound + request.promptTokens * load.speed.prefill_s_per_token
    if (bounded && !within) continue
    const cost = predicted_s(load, request, cachedTokens[index] ?? 0)
    if (cost < least || (within && !bounded)) {
      best = index
      least = cost
    }
    bounded ||= within
  }
  return best
}

function meanAhead_s(replicas: RouteView['replicas']): number {
  let ready = 0
  let sum = 0
  for (const load of replicas) {
    if (!load.ready) continue
    ready += 1
    sum += outstanding_s(load)
  }
  return ready === 0 ? 0 : sum / ready
}
