// The next actions for a deployment's replicas: a pure function of the observed state. Every action is idempotent. A serving replica is
// never stopped because a new one failed; replicas are drained before they stop; one counts as gone when the executor confirms it.

import type { Replica, ReplicaEnd, Sighting } from '@ironlaw/contracts'
import { backoff } from '../backoff.ts'
import type { DeploymentLimits } from './limits.ts'

export type ObservedReplica = {
  readonly replica: Replica
  readonly job: Sighting
  /** Its own readiness; absent when it was not probed or did not answer. */
  readonly ready?: boolean
  /** Why it must not get requests although it is ready: it would reject them all. */
  readonly unfit?: string
  /** What its engine printed last, where its job has ended. */
  readonly lastWords?: string
  /** When it last answered a gateway's request or our probe. */
  readonly heardAt?: number
  /** Requests that gateways have with it. */
  readonly inFlight?: number
  /** For how long it has been seen draining; where that was not observed, since the decision. */
  readonly drained_s?: number
  /** The same for one that is kept warm for a rollback. */
  readonly kept_s?: number
}

/** A `kept` revision served before: nothing of it is started, and once the others serve in full it is kept warm for this time. */
export type DesiredReplicas = { readonly revision: number; readonly count: number; readonly kept?: { readonly for_s: number } }

export type DeploymentObservation = {
  readonly now: number
  /** The desired replicas by revision; revisions not named here are stopped. */
  readonly wanted: readonly DesiredReplicas[]
  /** Was tried and rolled back: its replicas are stopped whatever else serves, because they hold machines without traffic. */
  readonly rejected?: number
  /** All that are not gone. */
  readonly replicas: readonly ObservedReplica[]
  /** Replicas of a revision that ended by themselves, newest last, since one of them last served. */
  readonly failures: ReadonlyMap<number, readonly number[]>
}

export type DeploymentAction =
  | { readonly do: 'start'; readonly revision: number }
  | { readonly do: 'submit-again'; readonly replica: Replica }
  | { readonly do: 'serve'; readonly replica: Replica }
  | { readonly do: 'keep'; readonly replica: Replica }
  | { readonly do: 'resume'; readonly replica: Replica }
  | { readonly do: 'drain'; readonly replica: Replica; readonly why: string }
  | { readonly do: 'stop'; readonly replica: Replica; readonly end: ReplicaEnd; readonly why: string }
  | { readonly do: 'bury'; readonly replica: Replica; readonly end: ReplicaEnd; readonly why: string }

export function decideDeployment(seen: DeploymentObservation, limits: DeploymentLimits): readonly DeploymentAction[] {
  const single = seen.replicas.flatMap((each) => replicaActions(each, seen.now, limits))
  const leaving = new Set(
    single.flatMap((action) => ('replica' in action && action.do !== 'serve' && action.do !== 'submit-again' ? [action.replica.id] : [])),
  )
  const staying = seen.replicas.filter(({ replica }) => isActive(replica) && !leaving.has(replica.id)).map(({ replica }) => replica)
  return [
    ...single,
    ...resumeActions(seen, staying),
    ...keepActions(seen, staying),
    ...startActions(seen, staying, limits),
    ...drainActions(seen, staying, limits),
  ]
}

const isActive = ({ state }: Replica): boolean => state === 'submitting' || state === 'starting' || state === 'serving' || state === 'warm'

const isReady = ({ state }: Replica): boolean => state === 'serving' || state === 'warm'

/** Replicas that were kept warm and are to serve again. */
const resumeActions = ({ wanted }: DeploymentObservation, staying: readonly Replica[]): DeploymentAction[] =>
  staying
    .filter(({ state, revision }) => state === 'warm' && wanted.some((each) => each.revision === revision && !each.kept))
    .map((replica) => ({ do: 'resume', replica }))

/** Once the others serve in full, in the same round: requests go to one of the two, never to neither. */
function keepActions({ wanted }: DeploymentObservation, staying: readonly Replica[]): DeploymentAction[] {
  const isFull = ({ revision, count }: DesiredReplicas): boolean =>
    staying.filter((replica) => replica.revision === revision && isReady(replica)).length >= count
  if (!wanted.filter((each) => !each.kept).every(isFull)) return []
  const revisions = new Set(wanted.flatMap((each) => (each.kept ? [each.revision] : [])))
  return staying.filter(({ state, revision }) => state === 'serving' && revisions.has(revision)).map((replica) => ({ do: 'keep', replica }))
}

function replicaActions(seen: ObservedReplica, now: number, limits: DeploymentLimits): readonly DeploymentAction[] {
  const { replica, job } = seen
  if (replica.state === 'submitting') return [{ do: 'submit-again', replica }]
  if (job.state === 'ended' || job.state === 'absent') return [endedReplicaAction(seen)]
  if (replica.state === 'stopping')
    return [{ do: 'stop', replica, end: replica.end ?? 'drained', why: replica.detail ?? 'its job has not ended yet' }]
  if (replica.state === 'draining') return drainingReplicaActions(seen, now, limits)
  if (replica.state === 'starting') return startingReplicaActions(seen, now, limits)
  const silent_s = now - (seen.heardAt ?? replica.readyAt ?? replica.since)
  return silent_s > limits.silence_s
    ? [{ do: 'stop', replica, end: 'unhealthy', why: `it answered neither gateways nor probes for ${Math.round(silent_s)} s` }]
    : []
}

function endedReplicaAction({ replica, job, lastWords }: ObservedReplica): DeploymentAction {
  const asked = replica.state === 'draining' || replica.state === 'stopping'
  const how = job.state === 'ended' ? job.how : 'unknown to the executor'
  const why = `its job is ${how}${lastWords === undefined ? '' : `: ${lastWords}`}`
  return { do: 'bury', replica, end: replica.end ?? (asked ? 'drained' : 'job-ended'), why }
}

function drainingReplicaActions(seen: ObservedReplica, now: number, { drain_s }: DeploymentLimits): readonly DeploymentAction[] {
  const { replica, inFlight, drained_s: for_s = now - replica.since } = seen
  if (inFlight === 0) return [{ do: 'stop', replica, end: replica.end ?? 'drained', why: 'drained' }]
  return for_s > drain_s
    ? [
        {
          do: 'stop',
          replica,
          end: replica.end ?? 'drained',
          why: `still ${inFlight ?? 'unknown'} requests after ${Math.round(for_s)} s of draining`,
        },
      ]
    : []
}

function startingReplicaActions(
  { replica, ready, unfit, job }: ObservedReplica,
  now: number,
  { start_s }: DeploymentLimits,
): readonly DeploymentAction[] {
  if (unfit !== undefined) return [{ do: 'stop', replica, end: 'unhealthy', why: unfit }]
  if (ready === true) return [{ do: 'serve', replica }]
  // Waiting for a machine is not the replica's fault, and an unreachable executor proves nothing.
  const for_s = now - (replica.startedAt ?? replica.since)
  if (job.state !== 'running' || for_s <= start_s) return []
  return [{ do: 'stop', replica, end: 'start-timeout', why: `not ready ${Math.round(for_s)} s after its start` }]
}

function startActions(
  { wanted, failures, now }: DeploymentObservation,
  staying: readonly Replica[],
  limits: DeploymentLimits,
): DeploymentAction[] {
  return wanted.flatMap(({ revision, count, kept: isKept }) => {
    if (isKept) return []
    const failed = failures.get(revision) ?? []
    const wait_s = backoff(failed.length, limits)
    const missing = count - staying.filter((replica) => replica.revision === revision).length
    // A failure dated further ahead than any wait was written by a wrong clock.
    const last = failed.findLast((at) => at <= now + limits.backoffCap_s) ?? 0
    if (missing <= 0 || now < last + wait_s) return []
    return Array.from({ length: missing }, () => ({ do: 'start', revision }) as const)
  })
}

/** Surplus serving replicas, oldest revision first; all revisions together keep serving the desired number. */
function drainActions(seen: DeploymentObservation, staying: readonly Replica[], limits: DeploymentLimits): DeploymentAction[] {
  const { wanted, rejected } = seen
  const total = wanted.reduce((sum, each) => sum + (each.kept ? 0 : each.count), 0)
  let serving = staying.filter(({ state, revision }) => state === 'serving' && revision !== rejected).length
  const revisions = [...new Set(staying.map(({ revision }) => revision))].toSorted((one, other) => one - other)
  return revisions.flatMap((revision) => {
    const mine = staying.filter((replica) => replica.revision === revision).toSorted(notServingFirst)
    return surplusReplicas(mine, seen, limits).flatMap(({ replica, why }): DeploymentAction[] => {
      if (replica.state === 'warm') return [{ do: 'drain', replica, why }]
      if (replica.state !== 'serving') return [{ do: 'stop', replica, end: 'drained', why }]
      if (revision !== rejected && serving <= total) return []
      serving -= revision === rejected ? 0 : 1
      return [{ do: 'drain', replica, why }]
    })
  })
}

type SurplusReplica = { readonly replica: Replica; readonly why: string }

/** Of the replicas of one revision, those that are not ready first. */
function surplusReplicas(
  mine: readonly Replica[],
  { wanted, replicas, now }: DeploymentObservation,
  { machine_s }: DeploymentLimits,
): readonly SurplusReplica[] {
  const revision = mine[0]?.revision ?? 0
  const { count, kept: keeping } = wanted.find((each) => each.revision === revision) ?? { count: 0 }
  if (!keeping) {
    const why = count === 0 ? `revision ${revision} serves no longer` : `${count} of revision ${revision} are enough`
    return mine.slice(0, Math.max(0, mine.length - count)).map((replica) => ({ replica, why }))
  }
  const unready = mine.filter((replica) => !isReady(replica)).map((replica) => ({ replica, why: `revision ${revision} serves no longer` }))
  const ready = mine.filter(isReady)
  const isKeptLongEnough = ({ id, state, since }: Replica): boolean => {
    const { kept_s = now - since } = replicas.find(({ replica }) => replica.id === id) ?? {}
    return state === 'warm' && kept_s >= keeping.for_s
  }
  const over = ready.filter(isKeptLongEnough).map((replica) => ({ replica, why: `was kept warm for ${keeping.for_s} s` }))
  const waiting = replicas.filter(
    ({ replica }) =>
      replica.revision !== revision && replica.state === 'starting' && replica.startedAt === undefined && now - replica.since > machine_s,
  ).length
  // A replica that is already leaving makes room for a waiting one.
  const leaves = replicas.filter(({ replica }) => replica.revision === revision && !isActive(replica)).length + over.length
  const rest = ready.filter((replica) => !isKeptLongEnough(replica))
  const given = rest.slice(0, Math.max(0, rest.length - count, waiting - leaves)).map((replica) => ({
    replica,
    why: waiting > 0 ? 'another replica is waiting for a machine' : `${count} of revision ${revision} are enough`,
  }))
  return [...unready, ...over, ...given]
}

const notServingFirst = (one: Replica, other: Replica): number =>
  Number(one.state === 'serving') - Number(other.state === 'serving') || other.submittedAt - one.submittedAt
