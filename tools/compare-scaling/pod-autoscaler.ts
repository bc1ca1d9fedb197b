// Kubernetes' HorizontalPodAutoscaler with its defaults (every 15 s, 10 % tolerance, at most twice the pods or four more at once, down to the
// largest recommendation of five minutes) on the tokens a second, averaged over a configurable time.

import type { ScaleDecision, ScaleObservation } from '@ironlaw/policies/serving'
import { SPEED } from './hours.ts'

type Target = { readonly tokensPerSecond: number; readonly utilisation: number; readonly over_s: number; readonly most: number }

const SYNC_S = 15 / SPEED
const STABLE_S = 300 / SPEED
const TOLERANCE = 0.1
/** Times are sums, and rounded. */
const INSTANT_S = 1e-6
const MOST_PODS_AT_ONCE = 4

export function podAutoscaler({ tokensPerSecond, utilisation, over_s, most }: Target): (seen: ScaleObservation) => ScaleDecision {
  let arrived: { readonly at: number; readonly tokens: number }[] = []
  let recommended: { readonly at: number; readonly replicas: number }[] = []
  let last = 0
  let next = SYNC_S
  return ({ now, replicas, arriving }) => {
    arrived = [...arrived.filter(({ at }) => at > now - over_s + INSTANT_S), { at: now, tokens: arriving * (now - last) }]
    last = now
    if (now < next - INSTANT_S) return { replicas, why: 'steady' }
    next += SYNC_S
    const rate = arrived.reduce((sum, { tokens }) => sum + tokens, 0) / Math.min(over_s, now)
    const ratio = rate / (tokensPerSecond * utilisation) / replicas
    const wanted = Math.abs(ratio - 1) <= TOLERANCE ? replicas : Math.ceil(replicas * ratio - 1e-9)
    recommended = [...recommended.filter(({ at }) => at > now - STABLE_S + INSTANT_S), { at: now, replicas: wanted }]
    const stable = wanted < replicas ? Math.min(replicas, Math.max(...recommended.map((each) => each.replicas))) : wanted
    const allowed = Math.min(stable, Math.max(2 * replicas, replicas + MOST_PODS_AT_ONCE))
    return { replicas: Math.min(most, Math.max(1, allowed)), why: 'arrivals' }
  }
}
