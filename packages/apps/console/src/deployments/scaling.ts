// The desired number of replicas over time, from the deployment's events.

import type { EventView } from '@ironlaw/contracts/api'
import type { DeploymentFigures } from '@ironlaw/contracts/deployment-figures'

type Change = { readonly at: number; readonly from: number; readonly to: number; readonly why: string }

export type ScalingHistory = {
  /** A point before and after each change. */
  readonly steps: readonly (readonly [at: number, replicas: number])[]
  readonly changes: readonly Change[]
}

/** `events` oldest first; `wanted` is the desired number now. */
export function scalingHistory(
  events: readonly EventView[],
  { since, now, wanted }: { since: number; now: number; wanted: number },
): ScalingHistory {
  const changes = events
    .filter(({ kind, at }) => kind === 'deployment-scaled' && at >= since)
    .map(({ at, body }) => ({
      at,
      from: Number(body['from']),
      to: Number(body['to']),
      why: typeof body['why'] === 'string' ? body['why'] : '',
    }))
  const steps = changes.flatMap(({ at, from, to }) => [[at, from] as const, [at, to] as const])
  return { steps: [[since, changes[0]?.from ?? wanted], ...steps, [now, wanted]], changes: changes.toReversed() }
}

/** Load in units of fully used replicas, per finished window, placed at its middle; windows without traffic have no point. */
export function fillHistory({ windows, window_s }: Pick<DeploymentFigures, 'windows' | 'window_s'>, tokensPerSecond: number, now: number) {
  const tokens = new Map<number, number>()
  for (const each of windows) tokens.set(each.from_at, (tokens.get(each.from_at) ?? 0) + each.tokens)
  const filled: (readonly [at: number, replicas: number])[] = []
  for (let from = Math.min(...tokens.keys()); from + window_s <= now; from += window_s)
    filled.push([from + window_s / 2, (tokens.get(from) ?? 0) / window_s / tokensPerSecond])
  return filled
}
