// A gateway as the control plane sees one: it takes the snapshot it is given, divides requests as that says, and tells its totals through
// the API.

import { latencyBucket, type LatencyCounts } from '@ironlaw/contracts'
import type { ReplicaTotals } from '@ironlaw/contracts/gateway-sync'
import { freshTotals } from '../../packages/effects/control/test/simulated-gateway.ts'

export type Behaviour = { readonly ttft_s: number; readonly tpot_s: number; readonly errors?: number }

type Snapshot = {
  readonly version: number
  readonly pools: Readonly<Record<string, { readonly replicas: readonly { readonly id: string }[] }>>
  readonly models: Readonly<Record<string, { readonly targets: readonly { readonly pool: string; readonly weight: number }[] }>>
}

type World = {
  readonly sync: (name: string, body: object) => Promise<Snapshot | undefined>
  /** Of a pool, which is named by model and revision. */
  readonly of: (pool: string) => Behaviour
  /** Of a model, at this moment. */
  readonly requests_per_s: (model: string) => number
}

const TOKENS = 320

export function simulatedGateway({ sync, of, requests_per_s }: World): (seconds: number) => Promise<void> {
  const totals = new Map<string, ReplicaTotals>()
  const arrived = new Map<string, number>()
  /** Parts of requests, until they are whole ones. */
  const owed = new Map<string, number>()
  let snapshot: Snapshot = { version: 0, pools: {}, models: {} }
  const seeds = new Map<string, number>()
  /** Between -1 and 1, in every run the same for the same moment of a pool. */
  const noise = (pool: string): number => {
    const seed = ((seeds.get(pool) ?? firstSeed(pool)) * 48_271) % 2_147_483_647
    seeds.set(pool, seed)
    return (2 * seed) / 2_147_483_647 - 1
  }

  const wholePart = (key: string, more: number): number => {
    const sum = (owed.get(key) ?? 0) + more
    owed.set(key, sum % 1)
    return Math.floor(sum)
  }

  function recordAnswers(
    { pool, id }: Pick<ReplicaTotals, 'pool' | 'id'>,
    { requests, per_s }: { readonly requests: number; readonly per_s: number },
  ): void {
    const { ttft_s, tpot_s, errors = 0 } = of(pool)
    const before = totals.get(`${pool} ${id}`) ?? freshTotals(pool, id)
    const failed = wholePart(`${pool} errors`, requests * errors)
    const answers = wholePart(`${pool} ${id}`, requests - failed)
    const addedSums = (sums: ReplicaTotals['ttft'], seconds: number) => ({
      count: sums.count + answers,
      log_sum: sums.log_sum + answers * Math.log(seconds * (1 + 0.12 * noise(pool))),
      buckets: withAnswers(sums.buckets ?? {}, answers, seconds),
    })
    totals.set(`${pool} ${id}`, {
      ...before,
      running: per_s === 0 ? before.running : Math.round(per_s * (ttft_s + 0.6 * TOKENS * tpot_s)),
      answers: before.answers + answers,
      errors: before.errors + failed,
      tokens: before.tokens + answers * TOKENS,
      ttft: addedSums(before.ttft, ttft_s),
      tpot: addedSums(before.tpot, tpot_s),
      heard_age_s: 0,
    })
  }

  return async (seconds) => {
    const listed = Object.entries(snapshot.pools).flatMap(([pool, { replicas }]) => replicas.map(({ id }) => ({ pool, id })))
    for (const [model, { targets }] of Object.entries(snapshot.models))
      for (const { pool, weight } of targets) {
        const members = listed.filter((each) => each.pool === pool)
        arrived.set(pool, (arrived.get(pool) ?? 0) + wholePart(`${pool} arrived`, requests_per_s(model) * weight * seconds))
        const per_s = (requests_per_s(model) * weight) / Math.max(1, members.length)
        for (const member of members) recordAnswers(member, { requests: per_s * seconds, per_s })
      }
    const replicas = listed.map(({ pool, id }) => totals.get(`${pool} ${id}`) ?? freshTotals(pool, id))
    const pools = Object.keys(snapshot.pools).map((name) => ({ name, arrived: arrived.get(name) ?? 0, queued: 0 }))
    snapshot = (await sync('gateway-1', { boot: 'b', version: snapshot.version, leaving: false, pools, replicas })) ?? snapshot
  }
}

/** Spread around the typical one as engines' answers are: one in ten takes half as long again, one in a hundred twice as long. */
function withAnswers(before: LatencyCounts, answers: number, seconds: number): Record<string, number> {
  const counts: Record<string, number> = { ...before }
  for (const [share, factor] of [
    [0.45, 0.9],
    [0.44, 1.05],
    [0.1, 1.5],
    [0.01, 2],
  ] as const) {
    const bucket = latencyBucket(Math.log(seconds * factor))
    counts[bucket] = (counts[bucket] ?? 0) + share * answers
  }
  return counts
}

const firstSeed = (pool: string): number => [...pool].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 1_000_003, 7)
