// Deployments as the API shows them.

import { isRolling, previousRevision, type Replica, type Revision } from '@ironlaw/contracts'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { canaryRule, judgeCanary, NO_EVIDENCE, type RolloutRule } from '@ironlaw/policies/rollout'
import { type Database, type Deployment, lastGoneReplicas, replicasOf, revisionsOf } from '@ironlaw/store'
import { canaryShare } from './gateway-snapshot.ts'
import { readMemory } from './memory.ts'
import { outputsView } from './outputs-view.ts'
import { rolloutRule } from './rollout-rule.ts'
import { drillsOf } from './way-back-drills.ts'

export async function deploymentViews(database: Database, rule: RolloutRule, rows: readonly Deployment[]): Promise<DeploymentView[]> {
  const ids = rows.map(({ id }) => id)
  const [revisions, replicas] = await Promise.all([revisionsOf(database, ids), replicasOf(database, ids, { goneSince_at: Infinity })])
  return rows.map((row) => viewOf(row, { rule, revisions: revisions.readable(row.id), replicas: replicas.readable(row.id) }))
}

const GONE_SHOWN = 10

/** With the replicas that went lately, and why, and the last drills of the way back. */
export async function deploymentDetail(database: Database, rule: RolloutRule, row: Deployment): Promise<DeploymentView> {
  const [[view], gone, drills] = await Promise.all([
    deploymentViews(database, rule, [row]),
    lastGoneReplicas(database, row.id, GONE_SHOWN),
    drillsOf(database, row.id),
  ])
  return { ...view!, gone: gone.map(replicaView), drills }
}

type DeploymentRows = { readonly rule: RolloutRule; readonly revisions: readonly Revision[]; readonly replicas: readonly Replica[] }

function viewOf(row: Deployment, parts: DeploymentRows): DeploymentView {
  const { id, name, project, team, state, state_since_at, why, wanted, stable, newest, spec, created_at, created_by } = row
  const { revisions, replicas } = parts
  const rollout = rolloutView(row, parts)
  const previous = previousView(row, parts)
  return {
    id,
    name,
    project,
    team,
    state,
    state_since_at,
    why,
    wanted,
    serving: replicas.filter((replica) => replica.state === 'serving').length,
    stable,
    newest,
    ...(rollout && { rollout }),
    ...(previous && { previous }),
    replicas: replicas.map(replicaView),
    spec,
    revisions: revisions.map(({ number, planId, model, version, argv, environment, createdAt }) => ({
      number,
      ...(planId !== undefined && { plan: planId }),
      model,
      ...(version && { version }),
      argv: [...argv],
      environment: Object.keys(environment),
      created_at: createdAt,
    })),
    created_at,
    created_by,
  }
}

function previousView(row: Deployment, { rule, replicas }: DeploymentRows): DeploymentView['previous'] {
  const revision = previousRevision(row)
  if (revision === undefined) return undefined
  const warm = replicas.filter((replica) => replica.revision === revision && replica.state === 'warm')
  const { keepPrevious_s } = rolloutRule(rule, row.spec)
  return {
    revision,
    warm: warm.length,
    ...(warm.length > 0 && { until_at: Math.min(...warm.map(({ since }) => since)) + keepPrevious_s }),
  }
}

function rolloutView(row: Deployment, { rule: site, revisions, replicas }: DeploymentRows): DeploymentView['rollout'] {
  const { rollout, name, stable, spec, memory } = row
  if (!rollout) return undefined
  const rule = rolloutRule(site, spec)
  const gathered = readMemory(memory).evidence
  const evidence = gathered?.revision === rollout.revision ? gathered.canary : NO_EVIDENCE
  const outputs = outputsView(evidence)
  const { revision, state, stage, since, asked, why = '' } = rollout
  return {
    revision,
    stable: rollout.stable,
    state,
    stage,
    since_at: since,
    share: canaryShare({ name, stable, rollout, shares: rule.shares, revisions, replicas }),
    ...(asked && { asked }),
    why,
    findings: isRolling(rollout) ? [...judgeCanary(evidence, canaryRule(rule, state)).findings] : [],
    ...(outputs && { outputs }),
  }
}

const replicaView = ({ id, revision, state, since, url, readyAt, end, detail }: Replica): DeploymentView['replicas'][number] => ({
  id,
  revision,
  state,
  since_at: since,
  ...(url !== undefined && { url }),
  ...(readyAt !== undefined && { ready_at: readyAt }),
  ...(end !== undefined && { end }),
  ...(detail !== undefined && { detail }),
})
