// What one look at a deployment leads to: a pure function from what is seen to the change of its rows and to what is asked of the
// executor afterwards.

import { controlPoolName, isRolling, poolName, previousRevision, type Replica, type Sighting } from '@ironlaw/contracts'
import type { DeploymentSpec } from '@ironlaw/contracts/deployment-api'
import {
  decideDeployment,
  type DeploymentAction,
  type DeploymentLimits,
  type ObservedReplica,
  type DesiredReplicas,
} from '@ironlaw/policies/deployment'
import {
  type CanaryInterval,
  canaryRule,
  decideRollout,
  judgeCanary,
  NO_EVIDENCE,
  type RolloutAction,
  type RolloutRule,
} from '@ironlaw/policies/rollout'
import type { Deployment, DeploymentChange, NewEvent } from '@ironlaw/store'
import { autoscaleDecision, SCALE_REASONS } from './autoscale.ts'
import { restartedEvidence, evidenceAfter } from './evidence.ts'
import type { GatewayIncrement, GatewayReport } from './increments.ts'
import { type DeploymentMemory, memoryText } from './memory.ts'
import { outputsView } from './outputs-view.ts'
import { canaryCount, rolloutRule } from './rollout-rule.ts'
import { trailAfter } from './trail.ts'

export type RoundFacts = {
  readonly now: number
  readonly deployment: Deployment
  readonly replicas: readonly ObservedReplica[]
  /** Lately gone. */
  readonly gone: readonly Replica[]
  /** Gone, and their jobs are there all the same: a submission or a cancellation was lost. */
  readonly orphans: readonly Replica[]
  /** What the executor knows of numbers that no replica has had yet; undefined while it is unreachable. */
  readonly ahead: readonly NumberedJob[] | undefined
  /** What they say of this deployment's pools. */
  readonly gateways: readonly GatewayReport[]
  /** What they counted since the last look. */
  readonly since: readonly GatewayIncrement[]
  readonly quality: CanaryInterval['quality']
  readonly memory: DeploymentMemory
}

/** A job by the number of its replica. */
export type NumberedJob = { readonly number: number; readonly job: Sighting }

export const replicaId = (deployment: string, number: number): string => `${deployment}.${number}`

export type RoundPlan = {
  readonly change: Omit<DeploymentChange, 'at' | 'next_look_at'>
  readonly submit: readonly Replica[]
  readonly cancel: readonly Replica[]
}

type Rules = { readonly limits: DeploymentLimits; readonly rollout: RolloutRule }

type RoundProgress = Pick<Deployment, 'rollout' | 'stable' | 'wanted'> & {
  readonly memory: DeploymentMemory
  readonly events: readonly NewEvent[]
}

export function decideRound(facts: RoundFacts, rules: Rules): RoundPlan {
  const { deployment, now, replicas, orphans } = facts
  const { spec, desired } = deployment
  const rule = rolloutRule(rules.rollout, spec)
  const rolled = desired === 'remove' ? unchangedProgress(facts) : advancedRollout(facts, rule)
  const moved = desired === 'remove' ? rolled : scaledProgress(facts, rolled)
  const rejected = moved.rollout?.state === 'rolled-back' ? { rejected: moved.rollout.revision } : {}
  const wanted = desired === 'remove' ? [] : desiredReplicas(moved, rule)
  const actions = decideDeployment(
    { now, wanted, replicas, failures: failuresOf(facts), ...rejected },
    { ...rules.limits, ...limitsOf(spec) },
  )
  const done = appliedActions(facts, startableActions(facts, actions))
  const { state, why } = stateOf(facts, done.replicas, moved.wanted)
  const stateEvents = state === deployment.state ? [] : [reconcilerEvent(facts, `deployment-${state}`, { why })]
  const { rollout, stable, memory } = moved
  return {
    change: {
      state,
      why,
      stable,
      wanted: moved.wanted,
      replicasMade: done.made,
      memory: memoryText(memory),
      ...(rollout && { rollout }),
      replicas: done.replicas.filter((replica) => !replicas.some((before) => before.replica === replica)),
      events: [...moved.events, ...done.events, ...stateEvents],
    },
    submit: done.submit,
    cancel: [...done.cancel, ...orphans],
  }
}

export const reconcilerEvent = ({ now: at }: Pick<RoundFacts, 'now'>, kind: string, body: NewEvent['body']): NewEvent => ({
  kind,
  actor: 'reconciler',
  at,
  body,
})

const unchangedProgress = ({ deployment: { rollout, stable, wanted }, memory }: RoundFacts): RoundProgress => ({
  rollout,
  stable,
  wanted,
  memory,
  events: [],
})

const limitsOf = ({ limits: { start_s, silence_s, drain_s } }: DeploymentSpec): Partial<DeploymentLimits> => ({
  ...(start_s !== undefined && { start_s }),
  ...(silence_s !== undefined && { silence_s }),
  ...(drain_s !== undefined && { drain_s }),
})

function advancedRollout(facts: RoundFacts, rule: RolloutRule): RoundProgress {
  const { deployment, now, replicas, gone, since, quality, memory } = facts
  const { rollout, stable, wanted, name } = deployment
  if (!isRolling(rollout)) {
    const { evidence: _, ...rest } = memory
    return { ...unchangedProgress(facts), memory: rest }
  }
  const serving = replicas.filter(({ replica }) => replica.revision === rollout.revision && replica.state === 'serving').length
  const pools = { control: controlPoolName(name, stable), canary: poolName(name, rollout.revision) }
  const evidence = evidenceAfter(memory.evidence, { now, revision: rollout.revision, since, ...pools, quality, counts: serving > 0 })
  const failedStarts = gone.filter(
    ({ revision, readyAt, end }) => revision === rollout.revision && readyAt === undefined && end !== 'drained',
  )
  const unfit = replicas.find(({ replica, unfit: why }) => replica.revision === rollout.revision && why !== undefined)?.unfit
  const action = decideRollout(
    {
      now,
      ...(unfit !== undefined && { unfit }),
      rollout,
      evidence: evidence.canary,
      serving,
      wanted: canaryCount(rollout, rule, wanted),
      failedStarts: failedStarts.length,
      ...failureOf(failedStarts),
    },
    rule,
  )
  const { findings } = judgeCanary(evidence.canary, canaryRule(rule, rollout.state))
  const { revision, stage } = rollout
  const trail = trailAfter(memory.trail, { now, revision, stage, findings, last: action.do !== 'hold' })
  const moved = { stable, wanted, memory: { ...memory, evidence, trail }, events: [] }
  return afterRollout(facts, { ...moved, rollout }, action)
}

/** Why the newest of those that ended by themselves did. */
function failureOf(gone: readonly Replica[]): { readonly failure?: string } {
  const newest = gone.toSorted((one, other) => other.since - one.since).find(({ end }) => end !== undefined && end !== 'drained')
  return newest?.detail === undefined ? {} : { failure: newest.detail }
}

function afterRollout(facts: RoundFacts, moved: RoundProgress, action: RolloutAction): RoundProgress {
  const { rollout, memory } = moved
  if (!rollout) return moved
  const { asked: _, ...rest } = rollout
  const { why } = action
  const since = facts.now
  const outputs = outputsView(memory.evidence?.canary)
  const event = (kind: string) => [
    reconcilerEvent(facts, `rollout-${kind}`, { revision: rollout.revision, stable: rollout.stable, why, ...(outputs && { outputs }) }),
  ]
  switch (action.do) {
    case 'hold':
      return { ...moved, rollout: { ...rollout, why } }
    case 'advance': {
      const evidence = restartedEvidence(memory.evidence ?? { revision: rollout.revision, at: since, canary: NO_EVIDENCE })
      const next = { ...rest, state: 'canary' as const, stage: action.stage, since, why }
      return { ...moved, rollout: next, memory: { ...memory, evidence }, events: event('advanced') }
    }
    case 'promote':
      return { ...moved, rollout: { ...rest, state: 'promoted', since, why }, stable: rollout.revision, events: event('promoted') }
    case 'roll-back':
      return { ...moved, rollout: { ...rest, state: 'rolled-back', since, why }, events: event('rolled-back') }
    case 'pause':
      return { ...moved, rollout: { ...rest, state: 'paused', since, why }, events: event('paused') }
  }
}

function scaledProgress(facts: RoundFacts, moved: RoundProgress): RoundProgress {
  const { deployment, now, gateways, memory } = facts
  const rule = deployment.spec.scaling
  if (!rule) return moved
  const [{ replicas, why }, scaling] = autoscaleDecision(memory.scaling, { now, rule, gateways, replicas: moved.wanted })
  const remembered = { ...moved, memory: { ...moved.memory, ...(scaling && { scaling }) } }
  if (replicas === moved.wanted) return remembered
  const event = reconcilerEvent(facts, 'deployment-scaled', { from: moved.wanted, to: replicas, why: SCALE_REASONS[why] })
  return { ...remembered, wanted: replicas, events: [...moved.events, event] }
}

function desiredReplicas({ rollout, stable, wanted }: RoundProgress, rule: RolloutRule): readonly DesiredReplicas[] {
  const canaries = canaryCount(rollout, rule, wanted)
  const tried = rollout && canaries > 0 ? [{ revision: rollout.revision, count: canaries }] : []
  const previous = previousRevision({ rollout, stable })
  const isKept = previous !== undefined && rule.keepPrevious_s > 0
  const kept = isKept ? [{ revision: previous, count: wanted, kept: { for_s: rule.keepPrevious_s } }] : []
  return [{ revision: stable, count: wanted }, ...tried, ...kept]
}

/** By revision, when replicas ended by themselves since one of them last became ready. */
function failuresOf({ replicas, gone }: RoundFacts): ReadonlyMap<number, readonly number[]> {
  const all = [...replicas.map(({ replica }) => replica), ...gone]
  return new Map(
    [...Map.groupBy(all, ({ revision }) => revision)].map(([revision, ofRevision]) => {
      const served = Math.max(0, ...ofRevision.map(({ readyAt }) => readyAt ?? 0))
      const failed = ofRevision.filter(({ state, end, since }) => state === 'gone' && end !== 'drained' && since > served)
      return [revision, failed.map(({ since }) => since).toSorted((one, other) => one - other)]
    }),
  )
}

const isKnown = ({ job }: NumberedJob): boolean => job.state !== 'absent'

/**
 * Nothing is started under a number whose job may be there already: the executor would take it for the same job, with the program of another
 * revision perhaps.
 */
function startableActions({ ahead }: RoundFacts, actions: readonly DeploymentAction[]): readonly DeploymentAction[] {
  return ahead && !ahead.some(isKnown) ? actions : actions.filter((action) => action.do !== 'start')
}

/**
 * Jobs whose replicas the database has lost, as after a failover to a standby that did not have the last commits. What they were started with
 * is lost as well, so they are ended; which revision they are of is not known.
 */
function unrecordedReplicas({ ahead = [], deployment, now: since }: RoundFacts): readonly Replica[] {
  return ahead
    .filter(({ job }) => job.state === 'pending' || job.state === 'running')
    .map(({ number }) => ({
      id: replicaId(deployment.id, number),
      revision: deployment.stable,
      state: 'stopping',
      since,
      submittedAt: since,
      end: 'drained',
      detail: 'its job runs, and the database has lost what it is for',
    }))
}

type AppliedActions = {
  readonly replicas: readonly Replica[]
  readonly made: number
  readonly submit: readonly Replica[]
  readonly cancel: readonly Replica[]
  readonly events: readonly NewEvent[]
}

/** The replicas after the actions; what was not changed is the same object. */
function appliedActions(facts: RoundFacts, actions: readonly DeploymentAction[]): AppliedActions {
  const { deployment, now: since, replicas } = facts
  const after = new Map(replicas.map(({ replica }) => [replica.id, replica]))
  const events: NewEvent[] = []
  const submit = new Map<string, Replica>()
  const cancel = new Map<string, Replica>()
  let made = Math.max(deployment.replicas_made, ...(facts.ahead ?? []).filter(isKnown).map(({ number }) => number))
  const put = (replica: Replica, what: string, more: NewEvent['body'] = {}): void => {
    after.set(replica.id, replica)
    events.push(reconcilerEvent(facts, `replica-${what}`, { replica: replica.id, revision: replica.revision, ...more }))
  }
  for (const replica of unrecordedReplicas(facts)) {
    const { end, detail: why } = replica
    put(replica, 'created', { why })
    put(replica, 'stopping', { end, why })
    cancel.set(replica.id, replica)
  }
  for (const action of actions)
    switch (action.do) {
      case 'start': {
        made += 1
        const id = replicaId(deployment.id, made)
        const replica: Replica = { id, revision: action.revision, state: 'submitting', since, submittedAt: since }
        put(replica, 'created')
        submit.set(id, replica)
        break
      }
      case 'submit-again':
        submit.set(action.replica.id, action.replica)
        break
      case 'serve': {
        const { replica } = action
        put({ ...replica, state: 'serving', since, readyAt: since }, 'serving', { url: replica.url, start_s: since - replica.submittedAt })
        break
      }
      case 'keep':
        put({ ...action.replica, state: 'warm', since }, 'kept')
        break
      case 'resume':
        put({ ...action.replica, state: 'serving', since }, 'resumed')
        break
      case 'drain':
        put({ ...action.replica, state: 'draining', since }, 'draining', { why: action.why })
        break
      case 'stop': {
        const { replica, end, why } = action
        submit.delete(replica.id)
        cancel.set(replica.id, replica)
        if (replica.state !== 'stopping') put({ ...replica, state: 'stopping', since, end, detail: why }, 'stopping', { end, why })
        break
      }
      case 'bury': {
        const { replica, end, why } = action
        put({ ...replica, state: 'gone', since, end, detail: replica.detail ?? why }, 'gone', { end, why: replica.detail ?? why })
      }
    }
  return { replicas: [...after.values()], made, submit: [...submit.values()], cancel: [...cancel.values()], events }
}

/** Nobody looks at a deployment again once it is removed, so no job may be left by then. */
function leftoverText({ orphans, ahead }: RoundFacts, living: readonly Replica[]): string | undefined {
  if (living.length > 0) return `${living.length} replicas are left`
  if (!ahead) return 'the executor cannot be asked whether jobs are left'
  return orphans.length > 0 ? `${orphans.length} jobs are left` : undefined
}

function stateOf(facts: RoundFacts, replicas: readonly Replica[], wanted: number): Pick<Deployment, 'state' | 'why'> {
  const { deployment } = facts
  const living = replicas.filter(({ state }) => state !== 'gone')
  if (deployment.desired === 'remove') {
    const left = leftoverText(facts, living)
    return left === undefined ? { state: 'removed', why: '' } : { state: 'removing', why: left }
  }
  const serving = living.filter(({ state }) => state === 'serving').length
  if (serving >= wanted) return { state: 'serving', why: '' }
  // What ended before the newest became ready was overcome.
  const since = Math.max(0, ...living.map(({ readyAt }) => readyAt ?? 0))
  const { failure } = failureOf([...facts.gone, ...replicas.filter(({ state }) => state === 'gone')].filter((each) => each.since > since))
  const why = `${serving} of ${wanted} replicas serve${failure === undefined ? '' : `; the last that ended: ${failure}`}`
  return { state: deployment.state === 'starting' ? 'starting' : 'degraded', why }
}
