// What this gateway has counted, for the control plane that keeps its replicas.

import type { GatewaySync } from '@ironlaw/contracts/gateway-sync'
import type { Directory } from '../configuration/directory.ts'
import type { Pool } from '../admission/pool.ts'
import type { Upstream } from '../upstream/upstream.ts'

export type Totals = Pick<GatewaySync, 'pools' | 'replicas'>

export function totalsOf(directory: Directory, now: number): Totals {
  const pools = [...directory.pools.values()]
  const leaving = directory.drainingPools()
  return {
    pools: pools.map(({ name, arrived, queued }) => ({ name, arrived, queued })),
    replicas: [
      ...pools.flatMap((pool) => pool.replicas.map((replica) => replicaTotals(pool, replica, now))),
      ...leaving.flatMap((pool) => [...pool.leaving].map((replica) => replicaTotals(pool, replica, now))),
    ],
  }
}

function replicaTotals({ name: pool }: Pool, { id, leaving, load, tally }: Upstream, now: number): Totals['replicas'][number] {
  const { answers, errors, refused, empty, tokens, ttft, tpot, outputs, heardAt } = tally
  return {
    pool,
    id,
    listed: !leaving,
    running: load.running,
    answers,
    errors,
    refused,
    empty,
    tokens,
    ttft: sumsOf(ttft),
    tpot: sumsOf(tpot),
    ...(outputs.pairs > 0 && { outputs: { ...outputs } }),
    ...(heardAt !== undefined && { heard_age_s: now - heardAt }),
  }
}

/** Most buckets are empty: only the others are reported. */
const sumsOf = ({ count, log_sum, buckets }: Upstream['tally']['ttft']): Totals['replicas'][number]['ttft'] => ({
  count,
  log_sum,
  buckets: Object.fromEntries(buckets.flatMap((answers, bucket) => (answers > 0 ? [[String(bucket), answers]] : []))),
})
