// What people ask of deployments, turned into rows.

import { IronlawError, isRolling, previousRevision, type Revision, type Rollout } from '@ironlaw/contracts'
import type { CreateDeployment, RolloutOrder } from '@ironlaw/contracts/deployment-api'
import type { RolloutRule } from '@ironlaw/policies/rollout'
import {
  createDeployment,
  type Database,
  type Deployment,
  deploymentNamed,
  type DeploymentOrder,
  type NewEvent,
  orderDeployment,
  type ProjectScope,
} from '@ironlaw/store'
import { owningTeam } from '../access/teams-document.ts'
import { randomId } from '../access/tokens.ts'
import type { CheckedRevision } from '../registry/served-version.ts'
import type { BackTarget } from './back-target.ts'
import { rolloutRule } from './rollout-rule.ts'

type ActionContext = { readonly actor: string; readonly at: number }

type WantedDeployment = CreateDeployment & { readonly revision: CheckedRevision }

export async function makeDeployment(database: Database, wanted: WantedDeployment, { actor, at }: ActionContext): Promise<Deployment> {
  const { name, project, spec } = wanted
  const team = (await owningTeam(database, project)) ?? wanted.team
  const revision = revisionOf(wanted.revision, 1, at)
  const event = { kind: 'deployment-created', actor, at, body: { name, project, team, replicas: spec.replicas, ...summary(revision) } }
  const made = await createDeployment(database, { id: `${name}-${randomId()}`, name, project, team, spec, revision }, event)
  if (made === 'taken')
    throw new IronlawError('IL_CONFLICT', { problem: `a deployment "${name}" lives`, next: 'give it a new revision, or remove it first' })
  return requireDeployment(database, name)
}

export async function requireDeployment(database: Database, name: string, projects: ProjectScope = '*'): Promise<Deployment> {
  const found = await deploymentNamed(database, name, projects)
  if (!found) throw new IronlawError('IL_NOT_FOUND', { kind: 'deployment', id: name })
  return found
}

export function revisionOf(wanted: CheckedRevision, number: number, createdAt: number): Revision {
  const { plan, processes, max_running, version, versionDigest, ...rest } = wanted
  const planId = plan === undefined ? {} : { planId: plan }
  const served = version === undefined || versionDigest === undefined ? {} : { version: { artifact: version, digest: versionDigest } }
  return { ...rest, ...planId, ...served, number, processesPerReplica: processes, maxRunning: max_running, createdAt }
}

const summary = ({ number, model, version, argv, environment }: Revision) => ({
  revision: number,
  model,
  ...(version && { version }),
  argv,
  environment: Object.keys(environment),
})

export const revisionEvent = (revision: Revision, { actor, at }: ActionContext): NewEvent => ({
  kind: 'revision-created',
  actor,
  at,
  body: summary(revision),
})

/** `id` where it is known already: a name may be that of another one by now. */
type NamedDeployment = { readonly name: string; readonly id?: string }

type OrderDecision = { readonly answer: IronlawError | undefined; readonly change?: DeploymentOrder }

async function applyOrder(
  database: Database,
  named: NamedDeployment & { readonly at: number },
  decide: (now: Deployment, revisions: readonly Revision[]) => OrderDecision,
): Promise<void> {
  const { id } = await requireDeployment(database, named.id ?? named.name)
  const problem = await orderDeployment(database, { id, at: named.at }, decide)
  if (problem) throw problem
}

const conflictError = (problem: string, next: string): IronlawError => new IronlawError('IL_CONFLICT', { problem, next })

const conflict = (problem: string, next: string): OrderDecision => ({ answer: conflictError(problem, next) })

export const removalConflict = (name: string): IronlawError =>
  conflictError(`deployment "${name}" is being removed`, 'make it again when it is gone')

export const rolloutConflict = (name: string, { revision }: Rollout): IronlawError =>
  conflictError(`revision ${revision} is being rolled out`, `promote it or roll it back: "ironlaw rollout rollback ${name}"`)

type RolloutStart = { readonly rule: RolloutRule; readonly at: number }

/** Adds a new revision next to the one that serves. */
export const newRollout = ({ stable }: Pick<Deployment, 'stable'>, revision: number, { rule, at }: RolloutStart): Rollout => ({
  revision,
  stable,
  state: rule.shadow_s > 0 ? 'shadow' : 'canary',
  stage: 0,
  since: at,
})

const changeDecision = (change: DeploymentOrder): OrderDecision => ({ answer: undefined, change })

type ReviseOptions = ActionContext & NamedDeployment & { readonly rule: RolloutRule }

/** Tried as a rollout; only the next thing after the one before is settled. */
export function revise(database: Database, wanted: CheckedRevision, { actor, at, rule, ...named }: ReviseOptions): Promise<void> {
  const { name } = named
  return applyOrder(database, { ...named, at }, ({ rollout, newest, stable, desired, spec }) => {
    if (desired === 'remove') return { answer: removalConflict(name) }
    if (isRolling(rollout)) return { answer: rolloutConflict(name, rollout) }
    const revision = revisionOf(wanted, newest + 1, at)
    const next = newRollout({ stable }, revision.number, { rule: rolloutRule(rule, spec), at })
    return changeDecision({ revision, rollout: next, events: [revisionEvent(revision, { actor, at })] })
  })
}

type Ordering = ActionContext & NamedDeployment

type ActiveRolloutOrder = Exclude<RolloutOrder, 'back'>

type CheckedOrder = { readonly do: ActiveRolloutOrder } | ({ readonly do: 'back' } & BackTarget)

export const orderRollout = (database: Database, order: CheckedOrder, ordering: Ordering): Promise<void> =>
  order.do === 'back' ? returnToRevision(database, order, ordering) : changeRollout(database, order.do, ordering)

function changeRollout(database: Database, what: ActiveRolloutOrder, { actor, at, ...named }: Ordering): Promise<void> {
  const { name } = named
  return applyOrder(database, { ...named, at }, ({ rollout }) => {
    if (!isRolling(rollout))
      return conflict(
        `deployment "${name}" has no rollout in progress`,
        `"ironlaw rollout back ${name}" returns to the revision that served before`,
      )
    const event: NewEvent = { kind: `rollout-${what}-wanted`, actor, at, body: { revision: rollout.revision } }
    if (what === 'promote' || what === 'rollback') return changeDecision({ rollout: { ...rollout, asked: what }, events: [event] })
    if (rollout.state === 'shadow')
      return conflict('the revision is still in shadow and serves no client', 'wait until it is a canary, or roll it back')
    const state = what === 'pause' ? 'paused' : 'canary'
    return changeDecision({ rollout: { ...rollout, state, since: at, why: `${state} by ${actor}` }, events: [event] })
  })
}

/**
 * Returns to an earlier revision without a trial. The current one continues to serve until the other has as many replicas, and is then kept
 * ready, so that another order can undo this one.
 */
function returnToRevision(database: Database, { to, copy }: BackTarget, { actor, at, ...named }: Ordering): Promise<void> {
  const { name } = named
  return applyOrder(database, { ...named, at }, (row, revisions) => {
    const { rollout, stable, desired } = row
    if (desired === 'remove') return { answer: removalConflict(name) }
    if (isRolling(rollout)) return { answer: rolloutConflict(name, rollout) }
    const made = copy && { ...copy, number: row.newest + 1, createdAt: at }
    const revision = made?.number ?? to ?? previousRevision(row)
    const known = revisions.map(({ number }) => number).join(', ')
    if (revision === undefined)
      return conflict(`no revision served right before revision ${stable}`, `name one of ${known}: "ironlaw rollout back ${name} --to N"`)
    if (revision === stable) return conflict(`revision ${stable} serves already`, `"ironlaw describe ${name}" lists the revisions`)
    if (!made && !revisions.some(({ number }) => number === revision))
      return conflict(`deployment "${name}" has no revision ${revision}`, `name one of ${known}`)
    const next: Rollout = { revision, stable, state: 'promoted', stage: 0, since: at, why: `back from revision ${stable}, by ${actor}` }
    const returned: NewEvent = { kind: 'rollout-returned', actor, at, body: { revision, from: stable } }
    return changeDecision({
      stable: revision,
      rollout: next,
      ...(made && { revision: made }),
      events: made ? [revisionEvent(made, { actor, at }), returned] : [returned],
    })
  })
}

export function removeDeployment(database: Database, { actor, at, ...named }: Ordering): Promise<void> {
  return applyOrder(database, { ...named, at }, ({ desired }) =>
    desired === 'remove'
      ? { answer: undefined }
      : changeDecision({ desired: 'remove', events: [{ kind: 'deployment-remove-wanted', actor, at, body: {} }] }),
  )
}
