// What people ask of deployments, turned into rows.

import { IronlawError, isRolling, type Revision, type Rollout } from '@ironlaw/contracts'
import type { CreateDeployment, NewRevision, RolloutOrder } from '@ironlaw/contracts/deployment-api'
import type { RolloutRule } from '@ironlaw/policies/rollout'
import {
  createDeployment,
  type Database,
  type Deployment,
  deploymentNamed,
  type DeploymentOrder,
  type NewEvent,
  orderDeployment,
} from '@ironlaw/store'
import { randomId } from '../services/tokens.ts'
import { rolloutRule } from './rollout-rule.ts'

type Asking = { readonly actor: string; readonly at: number }

export async function makeDeployment(database: Database, wanted: CreateDeployment, { actor, at }: Asking): Promise<Deployment> {
  const { name, project, team, spec } = wanted
  const revision = revisionOf(wanted.revision, 1, at)
  const event = { kind: 'deployment-created', actor, at, body: { name, project, team, replicas: spec.replicas, ...summary(revision) } }
  const made = await createDeployment(database, { id: `${name}-${randomId()}`, name, project, team, spec, revision }, event)
  if (made === 'taken')
    throw new IronlawError('IL_CONFLICT', { problem: `a deployment "${name}" lives`, next: 'give it a new revision, or remove it first' })
  return theDeployment(database, name)
}

export async function theDeployment(database: Database, name: string): Promise<Deployment> {
  const found = await deploymentNamed(database, name)
  if (!found) throw new IronlawError('IL_NOT_FOUND', { kind: 'deployment', id: name })
  return found
}

function revisionOf({ plan, processes, max_running, ...rest }: NewRevision, number: number, createdAt: number): Revision {
  const planId = plan === undefined ? {} : { planId: plan }
  return { ...rest, ...planId, number, processesPerReplica: processes, maxRunning: max_running, createdAt }
}

const summary = ({ number, model, argv, environment }: Revision) => ({
  revision: number,
  model,
  argv,
  environment: Object.keys(environment),
})

type Decided = { readonly answer: IronlawError | undefined; readonly change?: DeploymentOrder }

async function ordered(
  database: Database,
  named: { readonly name: string; readonly at: number },
  decide: (now: Deployment) => Decided,
): Promise<void> {
  const { id } = await theDeployment(database, named.name)
  const problem = await orderDeployment(database, { id, at: named.at }, decide)
  if (problem) throw problem
}

const conflict = (problem: string, next: string): Decided => ({ answer: new IronlawError('IL_CONFLICT', { problem, next }) })

const changed = (change: DeploymentOrder): Decided => ({ answer: undefined, change })

type Revising = Asking & { readonly name: string; readonly rule: RolloutRule }

/** Tried as a rollout; only the next thing after the one before is settled. */
export function revise(database: Database, wanted: NewRevision, { name, actor, at, rule }: Revising): Promise<void> {
  return ordered(database, { name, at }, ({ rollout, newest, stable, desired, spec }) => {
    if (desired === 'remove') return conflict(`deployment "${name}" is being removed`, 'make it again when it is gone')
    if (isRolling(rollout))
      return conflict(`revision ${rollout.revision} is being tried`, `promote it or roll it back: "ironlaw rollout rollback ${name}"`)
    const revision = revisionOf(wanted, newest + 1, at)
    const state = rolloutRule(rule, spec).shadow_s > 0 ? 'shadow' : 'canary'
    const next: Rollout = { revision: revision.number, stable, state, stage: 0, since: at }
    return changed({ revision, rollout: next, event: { kind: 'revision-created', actor, at, body: summary(revision) } })
  })
}

type Ordering = Asking & { readonly name: string }

export function orderRollout(database: Database, what: RolloutOrder, { name, actor, at }: Ordering): Promise<void> {
  return ordered(database, { name, at }, ({ rollout }) => {
    if (!isRolling(rollout)) return conflict(`deployment "${name}" tries no new revision`, 'there is nothing to decide')
    const event: NewEvent = { kind: `rollout-${what}-wanted`, actor, at, body: { revision: rollout.revision } }
    if (what === 'promote' || what === 'rollback') return changed({ rollout: { ...rollout, asked: what }, event })
    if (rollout.state === 'shadow') return conflict('nobody sees its answers yet', 'wait until it is a canary, or roll it back')
    const state = what === 'pause' ? 'paused' : 'canary'
    return changed({ rollout: { ...rollout, state, since: at, why: `${state} by ${actor}` }, event })
  })
}

export function removeDeployment(database: Database, { name, actor, at }: Ordering): Promise<void> {
  return ordered(database, { name, at }, ({ desired }) =>
    desired === 'remove'
      ? { answer: undefined }
      : changed({ desired: 'remove', event: { kind: 'deployment-remove-wanted', actor, at, body: {} } }),
  )
}
