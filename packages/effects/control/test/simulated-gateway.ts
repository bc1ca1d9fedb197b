// A gateway that takes every snapshot at once: it divides requests as the snapshot says, and counts what engines make of them.

import type { ReplicaTotals } from '@ironlaw/contracts/gateway-sync'
import { type Database, recordGateway, snapshotOf } from '@ironlaw/store'

export type Behaviour = {
  readonly ttft_s?: number
  readonly failing?: boolean
  readonly wrong?: boolean
  readonly never?: boolean
  /** Why it would refuse every request. */
  readonly unfit?: string
  /** What its engine prints last. */
  readonly words?: string
  /** It answers every request without a word. */
  readonly empty?: boolean
}

/** Requests; clients see nothing of the answers to copies. */
type SentRequests = { readonly count: number; readonly isCopy: boolean }

type World = {
  readonly database: Database
  readonly now: () => number
  readonly isUp: (replica: string) => Promise<boolean>
  readonly of: (replica: string) => Behaviour
}

type Snapshot = {
  readonly pools?: Readonly<Record<string, { readonly replicas: readonly { readonly id: string }[] }>>
  readonly models?: Readonly<Record<string, Model>>
}

type Model = {
  readonly targets: readonly { readonly pool: string; readonly weight: number }[]
  readonly shadow?: { readonly pool: string; readonly of: string }
}

/** Answers this many requests, then reports to the control plane. */
export function simulatedGateway({ database, now, isUp, of }: World): (requests: number) => Promise<void> {
  const totals = new Map<string, ReplicaTotals>()
  const heardAt = new Map<string, number>()

  async function answer(
    members: readonly { readonly pool: string; readonly id: string }[],
    { count, isCopy }: SentRequests,
  ): Promise<void> {
    for (const { pool, id } of members) {
      if (!(await isUp(id))) continue
      const { failing = false, wrong = false, empty = false, ttft_s = 0.1 } = of(id)
      const key = `${pool} ${id}`
      const before = totals.get(key) ?? freshTotals(pool, id)
      const share = count / members.length
      if (share > 0 && !failing) heardAt.set(id, now())
      const log_sum = share * Math.log(ttft_s * (1 + 0.1 * Math.sin(now())))
      const more = (sums: ReplicaTotals['ttft']) => ({ count: sums.count + share, log_sum: sums.log_sum + log_sum })
      const silent = (before.empty ?? 0) + (empty ? share : 0)
      const answered = { answers: before.answers + share, empty: silent, ttft: more(before.ttft), tpot: more(before.tpot) }
      const { pairs = 0, same = 0 } = before.outputs ?? {}
      const all = pairs + share
      const alike = same + (wrong ? 0 : share)
      const outputs = isCopy && { outputs: { pairs: all, length_log_sum: 0, compared: all, same: alike, agreed: alike } }
      totals.set(key, { ...before, ...(failing ? { errors: before.errors + share } : { ...answered, ...outputs }) })
    }
  }

  return async (requests) => {
    const { body } = await snapshotOf(database)
    const { pools = {}, models = {} }: Snapshot = JSON.parse(JSON.stringify(body))
    const listed = Object.entries(pools).flatMap(([pool, { replicas }]) => replicas.map(({ id }) => ({ pool, id })))
    const membersOf = (named: string) => listed.filter(({ pool }) => pool === named)
    for (const { targets, shadow } of Object.values(models))
      for (const { pool, weight } of targets) {
        const count = requests * weight
        await answer(membersOf(pool), { count, isCopy: false })
        if (shadow?.of === pool) await answer(membersOf(shadow.pool), { count, isCopy: true })
      }
    const replicas = listed.map(({ pool, id }) => {
      const heard = heardAt.get(id)
      return { ...(totals.get(`${pool} ${id}`) ?? freshTotals(pool, id)), ...(heard !== undefined && { heard_age_s: now() - heard }) }
    })
    const counted = Object.keys(pools).map((name) => ({ name, arrived: 0, queued: 0 }))
    await recordGateway(database, { id: 'g', seen_at: now(), body: { boot: 'b', version: 1, leaving: false, pools: counted, replicas } })
  }
}

/** Counts of a replica before its first request. */
export const freshTotals = (pool: string, id: string): ReplicaTotals => ({
  pool,
  id,
  listed: true,
  running: 0,
  answers: 0,
  errors: 0,
  tokens: 0,
  ttft: { count: 0, log_sum: 0 },
  tpot: { count: 0, log_sum: 0 },
})
