// How a deployment does, from what the reconciler remembers, what gateways said last, and who may come.

import { type LatencyCounts, latencyPercentile } from '@ironlaw/contracts'
import type { DeploymentFigures } from '@ironlaw/contracts/deployment-figures'
import { STORED_GATEWAY_CONFIG } from '@ironlaw/contracts/gateway-snapshot'
import { canaryBounds, canaryRule, type RolloutRule } from '@ironlaw/policies/rollout'
import { configVersion, type Database, type Deployment, type Gateway, gatewaysSince, snapshotOf } from '@ironlaw/store'
import * as z from 'zod'
import { gatewayView } from './gateway-view.ts'
import { readMemory } from './memory.ts'
import { rolloutRule } from './rollout-rule.ts'
import { type TrafficWindow, WINDOW_S } from './traffic.ts'

/** A gateway that was silent for longer says nothing about now. */
const FRESH_S = 15

/** Who has access, from the snapshot that gateways follow; empty before the first snapshot. */
const ADMITTED = z.object({ tenants: STORED_GATEWAY_CONFIG.shape.tenants.default({}), keys: STORED_GATEWAY_CONFIG.shape.keys.default([]) })

type FigureInputs = { readonly rule: RolloutRule; readonly now: number }

export async function deploymentFigures(database: Database, row: Deployment, { rule, now }: FigureInputs): Promise<DeploymentFigures> {
  const [gateways, { body }, config] = await Promise.all([
    gatewaysSince(database, now - FRESH_S),
    snapshotOf(database),
    configVersion(database),
  ])
  const { traffic, trail } = readMemory(row.memory)
  const isOurs = (pool: string): boolean => pool.startsWith(`${row.name}@`)
  const pools = gateways.flatMap((gateway) => gateway.body.pools.filter(({ name }) => isOurs(name)))
  return {
    window_s: WINDOW_S,
    windows: (traffic?.windows ?? []).map(windowView),
    queued: pools.reduce((sum, { queued }) => sum + queued, 0),
    replicas: [...runningByReplica(gateways, isOurs)].map(([id, running]) => ({ id, running })),
    gateways: gateways.map((gateway) => gatewayView(gateway, config, now)),
    rule: ruleView(rolloutRule(rule, row.spec)),
    ...(trail && { trail: { revision: trail.revision, points: trail.points.map((point) => ({ ...point })) } }),
    tenants: tenantsOf(ADMITTED.parse(body), row.name),
  }
}

function windowView({
  from_at,
  revision,
  answers,
  errors,
  refused = 0,
  tokens,
  ttft,
  tpot,
}: TrafficWindow): DeploymentFigures['windows'][number] {
  const [first, next] = [percentilesOf(ttft.buckets), percentilesOf(tpot.buckets)]
  return {
    from_at,
    revision,
    answers,
    errors,
    refused,
    tokens,
    ...(ttft.count > 0 && { ttft_s: Math.exp(ttft.log_sum / ttft.count) }),
    ...(tpot.count > 0 && { tpot_s: Math.exp(tpot.log_sum / tpot.count) }),
    ...(first && { ttft_percentiles_s: first }),
    ...(next && { tpot_percentiles_s: next }),
  }
}

/** Undefined where gateways reported no buckets. */
function percentilesOf(counts: LatencyCounts = {}): DeploymentFigures['windows'][number]['ttft_percentiles_s'] | undefined {
  const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => latencyPercentile(counts, share))
  return p50 === undefined || p90 === undefined || p99 === undefined ? undefined : { p50, p90, p99 }
}

function runningByReplica(gateways: readonly Gateway[], isOurs: (pool: string) => boolean): ReadonlyMap<string, number> {
  const running = new Map<string, number>()
  for (const { body } of gateways)
    for (const replica of body.replicas) if (isOurs(replica.pool)) running.set(replica.id, (running.get(replica.id) ?? 0) + replica.running)
  return running
}

function ruleView(rule: RolloutRule): DeploymentFigures['rule'] {
  const { margins, shares, stage_s } = rule
  const { worse, asGood } = canaryBounds(canaryRule(rule, 'canary'))
  return { margins, worse, as_good: asGood, shares: [...shares], stage_s }
}

function tenantsOf({ tenants, keys }: z.infer<typeof ADMITTED>, model: string): DeploymentFigures['tenants'] {
  const allowed = Map.groupBy(
    keys.filter(({ models }) => models === undefined || models.includes(model)),
    ({ tenant }) => tenant,
  )
  return [...allowed].flatMap(([name, held]) => {
    const tenant = tenants[name]
    if (!tenant) return []
    const { weight, requests_per_minute, tokens_per_minute, concurrency, budget } = tenant
    const limits = { weight, requests_per_minute, tokens_per_minute, concurrency, ...(budget !== undefined && { budget }) }
    return [{ name, keys: held.length, ...limits }]
  })
}
