// The longest cached prefix while the replicas are balanced, the least busy one otherwise: SGLang's rule, with its default bounds
// (smg#1621: 64 requests and 1.5 times the least). Kept to compare with `kvAware`, which needs no switch between two modes.

import { leastTokens } from './least-tokens.ts'
import type { RouteView } from './route-view.ts'

const UNBALANCED_REQUESTS = 64
const UNBALANCED_RATIO = 1.5
/** A match shorter than this share of the prompt does not outweigh an idle replica. */
const MATCH_SHARE = 0.1

export function prefixAware(view: RouteView): number {
  const { replicas, request, cachedTokens } = view
  let most = 0
  let fewest = Number.POSITIVE_INFINITY
  let best = -1
  let longest = MATCH_SHARE * request.promptTokens
  for (let index = 0; index < replicas.length; index += 1) {
    const load = replicas[index]
    if (!load?.ready) continue
    most = Math.max(most, load.running)
    fewest = Math.min(fewest, load.running)
    const cached = cachedTokens[index] ?? 0
    if (cached > longest) {
      longest = cached
      best = index
    }
  }
  const unbalanced = most - fewest > UNBALANCED_REQUESTS && most > UNBALANCED_RATIO * fewest
  return best === -1 || unbalanced ? leastTokens(view) : best
}
