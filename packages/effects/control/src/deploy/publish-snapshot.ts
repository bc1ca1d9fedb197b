// The snapshot that gateways follow, made anew from the database.

import { STORED_GATEWAY_CONFIG } from '@ironlaw/contracts/gateway-snapshot'
import { DEFAULT_ROLLOUT } from '@ironlaw/policies/rollout'
import { type Database, listDeployments, makeSnapshot, replicasOf, revisionsOf } from '@ironlaw/store'
import { gatewaySnapshot } from './gateway-snapshot.ts'
import { rolloutRule } from './rollout-rule.ts'

/** Answers its version. */
export function publishSnapshot(database: Database): Promise<number> {
  return makeSnapshot(database, async (transaction, { config, cache_secret }) => {
    const deployments = (await listDeployments(transaction, 'live')).filter(({ desired }) => desired === 'serve')
    const ids = deployments.map(({ id }) => id)
    const revisions = await revisionsOf(transaction, ids)
    const replicas = await replicasOf(transaction, ids, { goneSince_at: Infinity })
    const served = deployments.map(({ id, name, stable, rollout, spec }) => ({
      name,
      stable,
      rollout,
      shares: rolloutRule(DEFAULT_ROLLOUT, spec).shares,
      revisions: revisions.get(id) ?? [],
      replicas: replicas.get(id) ?? [],
    }))
    return JSON.parse(JSON.stringify({ ...gatewaySnapshot(STORED_GATEWAY_CONFIG.parse(config), served), cache_secret }))
  })
}
