// How many replicas were wanted when, from the deployment's events.

import type { EventView } from '@ironlaw/contracts/api'
import type { DeploymentFigures } from '@ironlaw/contracts/deployment-figures'

type Change = { readonly at: number; readonly from: number; readonly to: number; readonly why: string }

export type ScalingHistory = {
  /** A point before and after each change. */
  readonly steps: readonly (readonly [at: number, replicas: number])[]
  readonly changes: readonly Change[]
}

/** `events` oldest first; `wanted` is what is wanted now. */
export function scalingOf(
  events: readonly EventView[],
  { created, now, wanted }: { created: number; now: number; wanted: number },
): ScalingHistory {
  const changes = events
    .filter(({ kind }) => kind === 'deployment-scaled')
    .map(({ at, body }) => ({
      at,
      from: Number(body['from']),
      to: Number(body['to']),
      why: typeof body['why'] === 'string' ? body['why'] : '',
    }))
  const steps = changes.flatMap(({ at, from, to }) => [[at, from] as const, [at, to] as const])
  return { steps: [[created, changes[0]?.from ?? wanted], ...steps, [now, wanted]], changes: changes.toReversed() }
}

/** Tokens that were answered, in replicas that are full: of every window at its middle, but for the last, which goes on. */
export function filledOf({ windows, window_s }: Pick<DeploymentFigures, 'windows' | 'window_s'>, tokensPerSecond: number) {
  const byWindow = Map.groupBy(windows, ({ from_at }) => from_at)
  return [...byWindow]
    .map(([from, rows]) => [from + window_s / 2, rows.reduce((sum, { tokens }) => sum + tokens, 0) / window_s / tokensPerSecond] as const)
    .toSorted(([one], [other]) => one - other)
    .slice(0, -1)
}
