// What gateways counted for a deployment in the last half hour, in windows, by revision. They send totals; what happened since the last look
// is the difference, by gateway, process and pool. Where replicas came or went in between, that one look is left out.

import type { LatencyCounts } from '@ironlaw/contracts'
import type { GatewaySync } from '@ironlaw/contracts/gateway-sync'

export const WINDOW_S = 30
const KEPT_S = 1800

type Sums = { readonly count: number; readonly log_sum: number; readonly buckets?: LatencyCounts }

type Flow = {
  readonly answers: number
  readonly errors: number
  /** Absent in what an earlier version remembers. */
  readonly refused?: number
  readonly tokens: number
  readonly ttft: Sums
  readonly tpot: Sums
}

export type TrafficWindow = Flow & { readonly from_at: number; readonly revision: number }

export type Traffic = {
  readonly marks: Readonly<Record<string, Flow & { readonly replicas: number }>>
  /** Oldest first; none for a window in which nothing was answered. */
  readonly windows: readonly TrafficWindow[]
}

const NOTHING: Flow = { answers: 0, errors: 0, tokens: 0, ttft: { count: 0, log_sum: 0 }, tpot: { count: 0, log_sum: 0 } }

export type TrafficInputs = {
  readonly now: number
  readonly name: string
  readonly gateways: readonly { readonly id: string; readonly body: GatewaySync }[]
}

export function trafficAfter(before: Traffic | undefined, { now, name, gateways }: TrafficInputs): Traffic {
  const marks: Record<string, Traffic['marks'][string]> = {}
  const since = new Map<number, Flow>()
  for (const { id, body } of gateways)
    for (const [pool, replicas] of Map.groupBy(body.replicas, (replica) => replica.pool)) {
      const revision = poolRevision(name, pool)
      if (revision === undefined) continue
      const total = replicas.reduce<Flow>((sum, each) => combinedTraffic(sum, each, 1), NOTHING)
      const key = `${id} ${body.boot} ${pool}`
      const mark = before?.marks[key]
      marks[key] = { ...total, replicas: replicas.length }
      if (mark?.replicas === replicas.length && mark.answers <= total.answers && mark.errors <= total.errors)
        since.set(revision, combinedTraffic(since.get(revision) ?? NOTHING, combinedTraffic(total, mark, -1), 1))
    }
  const kept: readonly TrafficWindow[] = (before?.windows ?? []).filter(({ from_at }) => from_at > now - KEPT_S)
  const from_at = Math.floor(now / WINDOW_S) * WINDOW_S
  return {
    marks,
    windows: [...since].reduce<readonly TrafficWindow[]>(
      (windows, [revision, flow]) => withFlow(windows, { from_at, revision, ...flow }),
      kept,
    ),
  }
}

/** Of the pool's name: also a control group serves a revision. */
function poolRevision(name: string, pool: string): number | undefined {
  const [deployment, number = ''] = pool.split('@')
  return deployment === name && /^\d/.test(number) ? Number.parseInt(number, 10) : undefined
}

function withFlow(windows: readonly TrafficWindow[], more: TrafficWindow): readonly TrafficWindow[] {
  if (more.answers === 0 && more.errors === 0 && !more.refused) return windows
  const at = windows.findIndex(({ from_at, revision }) => from_at === more.from_at && revision === more.revision)
  const known = windows[at]
  return known ? windows.with(at, { ...known, ...combinedTraffic(known, more, 1) }) : [...windows, more]
}

function combinedTraffic(one: Flow, other: Flow, sign: 1 | -1): Flow {
  const sums = (of: 'ttft' | 'tpot'): Sums => ({
    count: one[of].count + sign * other[of].count,
    log_sum: one[of].log_sum + sign * other[of].log_sum,
    buckets: summedBuckets(one[of].buckets ?? {}, other[of].buckets ?? {}, sign),
  })
  return {
    answers: one.answers + sign * other.answers,
    errors: one.errors + sign * other.errors,
    refused: (one.refused ?? 0) + sign * (other.refused ?? 0),
    tokens: one.tokens + sign * other.tokens,
    ttft: sums('ttft'),
    tpot: sums('tpot'),
  }
}

function summedBuckets(one: LatencyCounts, other: LatencyCounts, sign: 1 | -1): LatencyCounts {
  const sums: Record<string, number> = { ...one }
  for (const [bucket, count] of Object.entries(other)) sums[bucket] = (sums[bucket] ?? 0) + sign * count
  return Object.fromEntries(Object.entries(sums).filter(([, count]) => count !== 0))
}
