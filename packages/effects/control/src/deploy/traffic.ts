// What gateways counted for a deployment in the last half hour, in windows, by revision.

import { type GatewayIncrement, NO_COUNTS, type ReplicaCounts, sumOfCounts } from './increments.ts'

export const WINDOW_S = 30
const KEPT_S = 1800

export type TrafficWindow = ReplicaCounts & { readonly from_at: number; readonly revision: number }

/** Oldest first; none for a window in which nothing was answered. */
export type Traffic = { readonly windows: readonly TrafficWindow[] }

type TrafficInputs = { readonly now: number; readonly name: string; readonly since: readonly GatewayIncrement[] }

export function trafficAfter(before: Traffic | undefined, { now, name, since }: TrafficInputs): Traffic {
  const from_at = Math.floor(now / WINDOW_S) * WINDOW_S
  let windows = (before?.windows ?? []).filter((window) => window.from_at > now - KEPT_S)
  const replicas = since.flatMap((gateway) => gateway.replicas)
  for (const [revision, counts] of Map.groupBy(replicas, ({ pool }) => poolRevision(name, pool)))
    if (revision !== undefined) windows = withCounts(windows, { from_at, revision, ...counts.reduce(sumOfCounts, NO_COUNTS) })
  return { windows }
}

/** Of the pool's name: also a control group serves a revision. */
function poolRevision(name: string, pool: string): number | undefined {
  const [deployment, number = ''] = pool.split('@')
  return deployment === name && /^\d/.test(number) ? Number.parseInt(number, 10) : undefined
}

function withCounts(windows: TrafficWindow[], more: TrafficWindow): TrafficWindow[] {
  if (more.answers === 0 && more.errors === 0 && !more.refused) return windows
  const at = windows.findIndex(({ from_at, revision }) => from_at === more.from_at && revision === more.revision)
  const known = windows[at]
  return known ? windows.with(at, { ...known, ...sumOfCounts(known, more) }) : [...windows, more]
}
