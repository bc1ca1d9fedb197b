// Changes a live deployment to what a file describes: its settings and its target revision. The client names the state it has seen, and the
// change is one transaction under the row's lock, so of two concurrent changes the second is refused with what the first did.

import { type FieldChange, fieldChanges, IronlawError, isRolling, type Revision, type Rollout } from '@ironlaw/contracts'
import { type ChangeDeployment, DEPLOYMENT_SPEC, type DeploymentSpec, NEW_REVISION } from '@ironlaw/contracts/deployment-api'
import type { RolloutRule } from '@ironlaw/policies/rollout'
import { type Database, type Deployment, type DeploymentOrder, type NewEvent, orderDeployment } from '@ironlaw/store'
import { comparedRevision, decisionsSince, etagOf, isCurrent, seenVersion, sequenceOf } from './deployment-version.ts'
import { removalConflict, rolloutConflict, revisionEvent, revisionOf, requireDeployment, newRollout } from './make-deployment.ts'
import type { CheckedRevision } from '../registry/served-version.ts'
import { rolloutRule } from './rollout-rule.ts'

type ChangeOptions = {
  readonly name: string
  readonly id?: string
  readonly actor: string
  readonly at: number
  readonly rule: RolloutRule
  readonly ifMatch: string | undefined
  /** Only says what would change. */
  readonly dryRun: boolean
}

export type ChangeResult = { readonly changes: readonly FieldChange[]; readonly revision?: number; readonly etag: string }

type ChangeOutcome = ChangeResult | 'unseen' | 'stale' | IronlawError

type WantedChange = ChangeDeployment & { readonly revision?: CheckedRevision }

export async function changeDeployment(database: Database, wanted: WantedChange, changing: ChangeOptions): Promise<ChangeResult> {
  const { name, at } = changing
  const { id } = await requireDeployment(database, changing.id ?? name)
  const sequence = await sequenceOf(database, id)
  const outcome = await orderDeployment(database, { id, at }, (row, revisions) =>
    changeDecision({ row, revisions, sequence }, wanted, changing),
  )
  const what = `deployment "${name}"`
  if (outcome instanceof IronlawError) throw outcome
  if (outcome === 'unseen') throw new IronlawError('IL_UNSEEN', { what })
  if (outcome === 'stale') {
    const { sequence: after } = seenVersion(changing.ifMatch) ?? { sequence: 0 }
    throw new IronlawError('IL_STALE', { what, changes: await decisionsSince(database, id, after) })
  }
  return outcome
}

type StoredDeployment = { readonly row: Deployment; readonly revisions: readonly Revision[]; readonly sequence: number }

type ChangeDecision = { readonly answer: ChangeOutcome; readonly change?: DeploymentOrder }

function changeDecision({ row, revisions, sequence }: StoredDeployment, wanted: WantedChange, changing: ChangeOptions): ChangeDecision {
  const { ifMatch, dryRun, actor, at, rule, name } = changing
  if (row.desired === 'remove') return { answer: removalConflict(name) }
  const settings = fieldChanges(DEPLOYMENT_SPEC.parse(row.spec), wanted.spec)
  const compared = revisions.find(({ number }) => number === comparedRevision(row))
  const other = wanted.revision && compared ? revisionChanges(compared, wanted.revision) : []
  const changes = [...settings, ...other]
  const etag = etagOf(row, sequence)
  // A state that already holds was requested twice, or by two clients that agree (RFC 9110, section 13.1.1).
  if (changes.length === 0) return { answer: { changes, etag } }
  const seen = seenVersion(ifMatch)
  if (!dryRun && !seen) return { answer: 'unseen' }
  if (seen && !isCurrent(seen, row)) return { answer: 'stale' }
  if (other.length > 0 && isRolling(row.rollout)) return { answer: rolloutConflict(name, row.rollout) }
  const revision = other.length > 0 && wanted.revision ? revisionOf(wanted.revision, row.newest + 1, at) : undefined
  const numbered = revision && { revision: revision.number }
  if (dryRun) return { answer: { changes, etag, ...numbered } }
  const { spec } = wanted
  const siteRule = rolloutRule(rule, spec)
  const rollout = revision ? newRollout(row, revision.number, { rule: siteRule, at }) : fittedRollout(row.rollout, siteRule)
  const after = { ...row, spec, newest: revision?.number ?? row.newest, rollout: rollout ?? row.rollout }
  const event: NewEvent = { kind: 'deployment-changed', actor, at, body: { changes: changes.map((each) => ({ ...each })) } }
  return {
    answer: { changes, etag: etagOf(after, sequence), ...numbered },
    change: {
      ...(settings.length > 0 && { spec, wanted: boundedReplicas(spec, row.wanted) }),
      ...(rollout && { rollout }),
      ...(revision && { revision }),
      events: [event, ...(revision ? [revisionEvent(revision, { actor, at })] : [])],
    },
  }
}

/** With autoscaling the number continues from its current value, within the new bounds. */
const boundedReplicas = ({ replicas, scaling }: DeploymentSpec, now: number): number =>
  scaling ? Math.min(scaling.max, Math.max(scaling.min, now)) : replicas

/** A trial at a stage that the new rule does not have continues in its last one. */
function fittedRollout(rollout: Rollout | null, { shares }: RolloutRule): Rollout | undefined {
  if (!isRolling(rollout)) return undefined
  const stage = Math.min(rollout.stage, shares.length - 1)
  return stage === rollout.stage ? undefined : { ...rollout, stage }
}

/** Whose plan it follows makes no other revision: nothing would be started otherwise. */
function revisionChanges(now: Revision, next: CheckedRevision): readonly FieldChange[] {
  const { plan: _, versionDigest: _digest, ...after } = next
  const { number: _number, createdAt: _at, planId: _plan, version, processesPerReplica: processes, maxRunning: max_running, ...rest } = now
  const before = NEW_REVISION.parse({ ...rest, ...(version && { version: version.artifact }), processes, max_running })
  const hidden = hiddenValues(before.environment, after.environment)
  return fieldChanges({ revision: { ...before, environment: hidden.now } }, { revision: { ...after, environment: hidden.next } })
}

type Environment = Readonly<Record<string, string>>

/** Names only: values are never shown. */
function hiddenValues(now: Environment, next: Environment): { readonly now: Environment; readonly next: Environment } {
  const maskedValues = (of: Environment, other: Environment, differs: string): Environment =>
    Object.fromEntries(Object.keys(of).map((name) => [name, of[name] === other[name] || other[name] === undefined ? 'set' : differs]))
  return { now: maskedValues(now, next, 'set'), next: maskedValues(next, now, 'set to another value') }
}
