// What gateways counted since the last look. They send totals since their process started; how totals are subtracted is decided here alone:
// a gateway that was not known adds nothing, since its totals may be of any age; one that restarted counts from its beginning; so does a
// replica or a pool that its last report did not name, because gateways count one that comes back anew. Totals that fell all the same (a
// replica left and came back between two looks) add nothing.

import type { GatewaySync, ReplicaTotals } from '@ironlaw/contracts/gateway-sync'

export type GatewayReport = { readonly id: string; readonly seen_at: number; readonly body: GatewaySync }

export type ReplicaCounts = Omit<ReplicaTotals, 'pool' | 'id' | 'listed' | 'running' | 'heard_age_s'>

/** The totals that one gateway last reported. */
type GatewayMark = {
  readonly at: number
  readonly boot: string
  /** Requests that had arrived, by pool. */
  readonly arrived: Readonly<Record<string, number>>
  /** By pool and replica. */
  readonly replicas?: Readonly<Record<string, ReplicaCounts>>
}

/** By gateway. */
export type GatewayMarks = Readonly<Record<string, GatewayMark>>

/** What one gateway counted between its last report and this one. */
export type GatewayIncrement = {
  /** Seconds between the two reports. */
  readonly over_s: number
  readonly arrived: number
  readonly replicas: readonly (ReplicaCounts & { readonly pool: string })[]
}

/** How long the totals of a gateway are kept that reports no more, in case it comes back. */
const KNOWN_S = 3600
/** More than any gateway ever counts. A larger figure is false, and sums of such figures would overflow. */
const MOST_COUNTED = 1e15

export const boundedCount = (total: number): number => Math.min(MOST_COUNTED, total)

export const NO_COUNTS: ReplicaCounts = { answers: 0, errors: 0, tokens: 0, ttft: { count: 0, log_sum: 0 }, tpot: { count: 0, log_sum: 0 } }

/** The part of their reports that is about one deployment. */
export const reportsOn = (deployment: string, gateways: readonly GatewayReport[]): readonly GatewayReport[] => {
  const isOurs = (pool: string): boolean => pool.startsWith(`${deployment}@`)
  return gateways.map(({ id, seen_at, body }) => ({
    id,
    seen_at,
    body: { ...body, pools: body.pools.filter(({ name }) => isOurs(name)), replicas: body.replicas.filter(({ pool }) => isOurs(pool)) },
  }))
}

type Reports = { readonly now: number; readonly gateways: readonly GatewayReport[] }

/** Increments are only of gateways that were known. */
export function increments(
  before: GatewayMarks = {},
  { now, gateways }: Reports,
): { readonly since: readonly GatewayIncrement[]; readonly marks: GatewayMarks } {
  const known = new Map(Object.entries(before))
  const marks = new Map([...known].filter(([, { at }]) => now - at <= KNOWN_S))
  const since: GatewayIncrement[] = []
  for (const { id, seen_at: at, body } of gateways) {
    const last = known.get(id)
    const base = last?.boot === body.boot ? last : undefined
    const arrived = Object.fromEntries(body.pools.map((pool) => [pool.name, boundedCount(pool.arrived)]))
    const replicas = replicaCounts(body)
    marks.set(id, { at, boot: body.boot, arrived, replicas: Object.fromEntries([...replicas].map(([key, { counts }]) => [key, counts])) })
    if (!last) continue
    since.push({
      over_s: at - last.at,
      arrived: Object.entries(arrived).reduce((sum, [pool, count]) => sum + Math.max(0, count - (base?.arrived[pool] ?? 0)), 0),
      replicas: [...replicas].map(([key, { pool, counts }]) => ({ pool, ...countsSince(base?.replicas?.[key], counts) })),
    })
  }
  return { since, marks: Object.fromEntries(marks) }
}

type CountedReplica = { readonly pool: string; readonly counts: ReplicaCounts }

/** A gateway lists a replica twice while the one that left finishes its requests and has been added again. */
function replicaCounts({ replicas }: GatewaySync): ReadonlyMap<string, CountedReplica> {
  const counted = new Map<string, CountedReplica>()
  for (const { pool, id, listed: _listed, running: _running, heard_age_s: _heard, ...counts } of replicas) {
    const key = `${pool} ${id}`
    const other = counted.get(key)
    counted.set(key, { pool, counts: boundedCounts(other ? sumOfCounts(other.counts, counts) : counts) })
  }
  return counted
}

const boundedSum = (sum: number): number => Math.max(-MOST_COUNTED, boundedCount(sum))

const boundedFields = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'number' ? boundedSum(value) : boundedFields(value)]),
  ) as Fields

/** Every figure of it. */
const boundedCounts = (counts: ReplicaCounts): ReplicaCounts => boundedFields(counts)

function countsSince(before: ReplicaCounts | undefined, counts: ReplicaCounts): ReplicaCounts {
  if (!before) return counts
  const since = combinedCounts(counts, before, -1)
  return hasFallen(since) ? NO_COUNTS : since
}

/** Sums of logarithms may fall; what is counted may not. */
function hasFallen({ answers, errors, refused = 0, empty = 0, tokens, ttft, tpot, outputs = NO_OUTPUTS }: ReplicaCounts): boolean {
  const { pairs, compared, same, agreed } = outputs
  const buckets = [ttft, tpot].flatMap((sums) => Object.values(sums.buckets ?? {}))
  const counted = [answers, errors, refused, empty, tokens, ttft.count, tpot.count, pairs, compared, same, agreed, ...buckets]
  return counted.some((count) => count < 0)
}

export const sumOfCounts = (one: ReplicaCounts, other: ReplicaCounts): ReplicaCounts => combinedCounts(one, other, 1)

function combinedCounts(one: ReplicaCounts, other: ReplicaCounts, sign: 1 | -1): ReplicaCounts {
  const sums = (of: 'ttft' | 'tpot'): ReplicaCounts['ttft'] => ({
    count: one[of].count + sign * other[of].count,
    log_sum: one[of].log_sum + sign * other[of].log_sum,
    buckets: combinedBuckets(one[of].buckets ?? {}, other[of].buckets ?? {}, sign),
  })
  return {
    answers: one.answers + sign * other.answers,
    errors: one.errors + sign * other.errors,
    refused: (one.refused ?? 0) + sign * (other.refused ?? 0),
    empty: (one.empty ?? 0) + sign * (other.empty ?? 0),
    tokens: one.tokens + sign * other.tokens,
    ttft: sums('ttft'),
    tpot: sums('tpot'),
    ...((one.outputs ?? other.outputs) && { outputs: combinedOutputs(one.outputs ?? NO_OUTPUTS, other.outputs ?? NO_OUTPUTS, sign) }),
  }
}

type Buckets = NonNullable<ReplicaCounts['ttft']['buckets']>

function combinedBuckets(one: Buckets, other: Buckets, sign: 1 | -1): Buckets {
  const sums = { ...one }
  for (const [bucket, count] of Object.entries(other)) sums[bucket] = (sums[bucket] ?? 0) + sign * count
  return Object.fromEntries(Object.entries(sums).filter(([, count]) => count !== 0))
}

type OutputCounts = NonNullable<ReplicaCounts['outputs']>

export const NO_OUTPUTS: OutputCounts = { pairs: 0, length_log_sum: 0, compared: 0, same: 0, agreed: 0 }

const combinedOutputs = (one: OutputCounts, other: OutputCounts, sign: 1 | -1): OutputCounts => ({
  pairs: one.pairs + sign * other.pairs,
  length_log_sum: one.length_log_sum + sign * other.length_log_sum,
  compared: one.compared + sign * other.compared,
  same: one.same + sign * other.same,
  agreed: one.agreed + sign * other.agreed,
})
