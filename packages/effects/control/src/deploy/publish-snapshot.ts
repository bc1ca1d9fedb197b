// Rebuilds the snapshot that gateways follow when its sources in the database have changed.

import { STORED_GATEWAY_CONFIG } from '@ironlaw/contracts/gateway-snapshot'
import { DEFAULT_ROLLOUT } from '@ironlaw/policies/rollout'
import { type Database, type LastSnapshot, listDeployments, makeSnapshot, replicasOf, revisionsOf } from '@ironlaw/store'
import { gatewaySnapshot, type ServedDeployment } from './gateway-snapshot.ts'
import { rolloutRule } from './rollout-rule.ts'

/** Of each database, what this process made last: a new release makes the snapshot once in its own way, and then only when something changed. */
const LAST = new WeakMap<Database, LastSnapshot>()

/** Answers its version. */
export async function publishSnapshot(database: Database): Promise<number> {
  const made = await makeSnapshot(database, {
    inputs: servedDeployments,
    made: ({ config, cache_secret }, served) =>
      JSON.parse(JSON.stringify({ ...gatewaySnapshot(STORED_GATEWAY_CONFIG.parse(config), served), cache_secret })),
    last: LAST.get(database),
  })
  LAST.set(database, made)
  return made.version
}

async function servedDeployments(transaction: Database): Promise<readonly ServedDeployment[]> {
  const deployments = (await listDeployments(transaction, 'live')).filter(({ desired }) => desired === 'serve')
  const ids = deployments.map(({ id }) => id)
  const revisions = await revisionsOf(transaction, ids)
  const replicas = await replicasOf(transaction, ids, { goneSince_at: Infinity })
  return deployments.map(({ id, name, stable, rollout, spec }) => {
    // What cannot be read is left out: it may cost a replica or a trial, never the configuration of the other deployments.
    const known = revisions.readable(id)
    return {
      name,
      stable,
      rollout: known.some(({ number }) => number === rollout?.revision) ? rollout : null,
      shares: rolloutRule(DEFAULT_ROLLOUT, spec).shares,
      revisions: known,
      replicas: replicas.readable(id),
    }
  })
}
