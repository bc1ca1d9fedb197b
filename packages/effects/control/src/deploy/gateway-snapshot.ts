// The configuration of gateways, as a pure function of the deployments and of the operators' decisions: a pool for each revision, and the
// model's traffic divided among them.

import { controlPoolName, isRolling, poolName, type Replica, replicaTlsName, type Revision, type Rollout } from '@ironlaw/contracts'
import { type GatewayConfig, MODEL_DEFAULTS, POOL_DEFAULTS, type GatewaySnapshot } from '@ironlaw/contracts/gateway-snapshot'

export type ServedDeployment = {
  readonly name: string
  readonly stable: number
  readonly rollout: Rollout | null
  readonly shares: readonly number[]
  readonly revisions: readonly Revision[]
  readonly replicas: readonly Replica[]
}

type Target = GatewaySnapshot['models'][string]['targets'][number]

export function gatewaySnapshot(config: GatewayConfig, deployments: readonly ServedDeployment[]): Omit<GatewaySnapshot, 'version'> {
  const pools = deployments.flatMap((deployment) => poolsOf(config, deployment))
  const models = deployments.map((deployment) => [deployment.name, modelOf(config, deployment)] as const)
  const { tenants, keys, limits } = config
  return { pools: Object.fromEntries(pools), models: Object.fromEntries(models), tenants, keys, limits }
}

const servingOf = ({ replicas }: ServedDeployment, revision: number): readonly Replica[] =>
  replicas.filter((replica) => replica.revision === revision && replica.state === 'serving')

/**
 * Of those that serve, as many as try the new revision, in a pool of their own with the same share: one replica alone queues differently
 * from three that share their work, and would look worse for that.
 */
function controlOf(deployment: ServedDeployment): readonly Replica[] {
  const { rollout, stable } = deployment
  if (!isRolling(rollout)) return []
  return servingOf(deployment, stable).slice(0, servingOf(deployment, rollout.revision).length)
}

const tlsNameOf = (id: string, url: string): { readonly tls_name?: string } =>
  url.startsWith('https:') ? { tls_name: replicaTlsName(id) } : {}

type PoolEntry = readonly [string, GatewaySnapshot['pools'][string]]

function poolsOf({ pools }: GatewayConfig, deployment: ServedDeployment): readonly PoolEntry[] {
  const { name, stable, revisions } = deployment
  const control = controlOf(deployment)
  return revisions.flatMap((revision): PoolEntry[] => {
    const pool = (named: string, members: readonly Replica[]): PoolEntry => {
      const replicas = members.flatMap(({ id, url }) =>
        url === undefined ? [] : [{ id, url, ...tlsNameOf(id, url), max_running: revision.maxRunning }],
      )
      return [named, { ...POOL_DEFAULTS, ...pools[name], model: revision.model, replicas }]
    }
    const { number } = revision
    const rest = servingOf(deployment, number).filter((replica) => !control.includes(replica))
    return [
      ...(rest.length > 0 || number === stable ? [pool(poolName(name, number), rest)] : []),
      ...(control.length > 0 && number === stable ? [pool(controlPoolName(name, number), control)] : []),
    ]
  })
}

function modelOf({ models }: GatewayConfig, deployment: ServedDeployment): GatewaySnapshot['models'][string] {
  const { name, rollout, stable } = deployment
  // Of the control group's requests alone: so its replicas and the shadow's have the same load.
  const shadow =
    rollout?.state === 'shadow' && controlOf(deployment).length > 0
      ? { shadow: { pool: poolName(name, rollout.revision), share: 1, of: controlPoolName(name, stable) } }
      : {}
  return { ...MODEL_DEFAULTS, ...models[name], targets: targetsOf(deployment), ...shadow }
}

/** The other revisions share what the canary and its control group leave, by their number of replicas. A rolled-back one gets nothing. */
function targetsOf(deployment: ServedDeployment): Target[] {
  const { name, stable, rollout, revisions } = deployment
  const canary = canaryShare(deployment)
  const control = controlOf(deployment)
  const others = revisions
    .map(({ number }) => number)
    .filter((number) => number !== rollout?.revision || number === stable)
    .map((number) => ({ pool: poolName(name, number), replicas: servingOf(deployment, number).filter((each) => !control.includes(each)) }))
    .filter(({ replicas }) => replicas.length > 0)
  const total = others.reduce((sum, { replicas }) => sum + replicas.length, 0)
  const share = rollout?.state === 'shadow' ? control.length / (control.length + total) : canary
  const controlled = control.length === 0 ? 0 : total === 0 ? 1 - canary : share
  const left = 1 - canary - controlled
  const targets = [
    ...others.map(({ pool, replicas }) => ({ pool, weight: (left * replicas.length) / total })),
    ...(controlled > 0 ? [{ pool: controlPoolName(name, stable), weight: controlled }] : []),
    ...(rollout && canary > 0 ? [{ pool: poolName(name, rollout.revision), weight: canary, trial: true }] : []),
  ]
  return targets.length > 0 ? targets : [{ pool: poolName(name, stable), weight: 1 }]
}

/**
 * Of the traffic, for the revision that is tried: the stage's share, but no more per replica than the others get, since who is loaded
 * more looks slower.
 */
export function canaryShare(deployment: ServedDeployment): number {
  const { rollout, stable, shares } = deployment
  if (!isRolling(rollout) || rollout.state === 'shadow') return 0
  const canaries = servingOf(deployment, rollout.revision).length
  const others = servingOf(deployment, stable).length
  return canaries === 0 ? 0 : Math.min(shares[rollout.stage] ?? 0, canaries / (canaries + others))
}
