// One round over the deployments that are due: lease, look, decide, carry out; then the snapshot for gateways follows. What is intended
// is written before the executor is asked, what came of it after, both under the lease's token.

import { randomBytes } from 'node:crypto'
import { countOfKind, IronlawError, isInService, isRolling, type Replica, type Revision, type Sighting } from '@ironlaw/contracts'
import type { JobSpec, Node, Refused, Unreachable } from '@ironlaw/executors'
import type { ObservedReplica } from '@ironlaw/policies/deployment'
import { singleNodeKind } from '@ironlaw/policies/run'
import {
  applyToDeployment,
  configVersion,
  type Deployment,
  type Gateway,
  gatewaysSince,
  leaseDeployments,
  type NewEvent,
  replicasOf,
  revisionsOf,
} from '@ironlaw/store'
import { sightingIn } from '../reconcile/look.ts'
import { LEASE_S, NOTHING_DUE, RETRY_S, type Round, workThrough } from '../rounds/rounds.ts'
import { type NumberedJob, decideRound, replicaId, type RoundPlan, reconcilerEvent } from './decide-round.ts'
import { increments, reportsOn } from './increments.ts'
import { lookAt, probeRevisions, type ReplicaLook } from './look.ts'
import { type ConfigPosition, readMemory } from './memory.ts'
import type { DeployPorts } from './ports.ts'
import { publishSnapshot } from './publish-snapshot.ts'
import { replicaDirectory, replicaJob } from './replica-job.ts'
import { excludedNodes } from './spread.ts'
import { trafficAfter } from './traffic.ts'

const BATCH = 64
/** While something is expected, and otherwise. */
const SOON_S = 0.5
const CALM_S = 2
const CALM_STATES: ReadonlySet<Replica['state']> = new Set(['serving', 'warm', 'gone'])
/** Failures that count when the next start is delayed; and how long a job is swept up whose replica counts as gone. */
const GONE_S = 3600
/**
 * A gateway that was silent for longer is forgotten: until then it may still be sending requests to replicas it knows. More than an hour, by
 * which the clock of a control plane that took a report may be behind: such a report is old to the others, and must not be none.
 */
const GATEWAY_S = 7200
/** How many replica numbers are checked before they are given out. A round seldom starts more; the next round checks further ones. */
const NUMBERS_AHEAD = 16

type DeploymentFacts = {
  readonly revisions: readonly Revision[]
  readonly replicas: readonly Replica[]
  readonly gateways: readonly Gateway[]
  readonly config: ConfigPosition
  readonly job: (key: string) => Sighting
}

export async function reconcileDeployments(ports: DeployPorts): Promise<Round> {
  const { database, executor, holder, now } = ports
  // Read once: a clock that is set during the round must not make every gateway look forgotten.
  const at = now()
  const leases = await leaseDeployments(database, { holder, at, lease_s: LEASE_S, limit: BATCH })
  if (leases.length === 0) return NOTHING_DUE
  const ids = leases.map(({ id }) => id)
  const [revisions, replicas, gateways, config] = await Promise.all([
    revisionsOf(database, ids),
    replicasOf(database, ids, { goneSince_at: now() - GONE_S }),
    gatewaysSince(database, at - GATEWAY_S),
    configVersion(database),
  ])
  const keys = [
    ...ids.flatMap((id) => replicas.readable(id)).map(({ id }) => id),
    ...leases.flatMap((each) => numbersAhead(each).map(({ key }) => key)),
  ]
  const jobs = await executor.sightings(keys)
  const job = (key: string): Sighting => sightingIn(jobs, key)
  const factsOf = (id: string) => ({ revisions: revisions.get(id), replicas: replicas.get(id), gateways, config, job })
  const round = await workThrough(
    leases,
    {
      name: ({ name }) => `deployment ${name}`,
      work: (deployment) => reconcileOne(ports, deployment, factsOf(deployment.id)),
      postpone: async (deployment) => {
        await applyToDeployment(database, deployment, { at: now(), events: [], next_look_at: now() + RETRY_S })
      },
    },
    { atOnce: true },
  )
  await publishSnapshot(database)
  return round
}

function numbersAhead({ id, replicas_made }: Deployment): readonly { readonly number: number; readonly key: string }[] {
  const numbers = Array.from({ length: NUMBERS_AHEAD }, (_, index) => replicas_made + 1 + index)
  return numbers.map((number) => ({ number, key: replicaId(id, number) }))
}

/** Undefined while the executor is unreachable. */
function jobsAhead(deployment: Deployment, job: (key: string) => Sighting): readonly NumberedJob[] | undefined {
  const ahead = numbersAhead(deployment).map(({ number, key }) => ({ number, job: job(key) }))
  return ahead.some((each) => each.job.state === 'unreachable') ? undefined : ahead
}

async function reconcileOne(
  ports: DeployPorts,
  deployment: Deployment,
  { revisions, replicas, gateways, config, job }: DeploymentFacts,
): Promise<void> {
  const { database, now: clock, limits, rollout } = ports
  const now = clock()
  const memory = readMemory(deployment.memory)
  const living = replicas.filter(({ state }) => state !== 'gone')
  const gone = replicas.filter(({ state }) => state === 'gone')
  const orphans = gone.filter(({ id }) => ['pending', 'running'].includes(job(id).state))
  renewCertificates(ports, living)
  const looking = { gateways, config, memory, now }
  const models = new Map(revisions.map(({ number, model }) => [number, model]))
  const lookTarget = (replica: Replica) => {
    const model = models.get(replica.revision)
    return { replica, job: job(replica.id), ...(model !== undefined && { model }) }
  }
  const [looks, quality] = await Promise.all([
    Promise.all(living.map(async (replica) => redactedLook(ports, deployment.project, await lookAt(ports, lookTarget(replica), looking)))),
    probeRevisions(ports, { deployment, revisions, replicas: living }, now),
  ])
  const silent = Object.fromEntries(
    looks.flatMap(({ seen, silentSince }) => (silentSince === undefined ? [] : [[seen.replica.id, silentSince]])),
  )
  const left = Object.fromEntries(looks.flatMap((each) => (each.left ? [[each.seen.replica.id, each.left]] : [])))
  const kept = Object.fromEntries(looks.flatMap((each) => (each.kept ? [[each.seen.replica.id, each.kept]] : [])))
  const reports = reportsOn(deployment.name, gateways)
  const { since, marks: counted } = increments(memory.counted, { now, gateways: reports })
  const known = { ...memory, silent, left, kept, counted, traffic: trafficAfter(memory.traffic, { now, name: deployment.name, since }) }
  const seen = looks.map((each) => each.seen)
  const facts = {
    now,
    deployment,
    replicas: seen,
    gone,
    orphans,
    ahead: jobsAhead(deployment, job),
    gateways: reports,
    since,
    quality,
    memory: known,
  }
  const decided = decideRound(facts, { limits, rollout })
  const plan = withTokens(await placeReplicas(ports, decided, { revisions, seen }))
  const learned = seen.map(({ replica }) => replica).filter((replica) => !living.includes(replica))
  const changed = new Map([...learned, ...(plan.change.replicas ?? [])].map((replica) => [replica.id, replica]))
  const change = { at: now, ...plan.change, replicas: [...changed.values()] }
  const acts = plan.submit.length > 0 || plan.cancel.length > 0
  const restless = isRolling(plan.change.rollout) || [...living, ...changed.values()].some(({ state }) => !CALM_STATES.has(state))
  const next_look_at = now + (restless ? SOON_S : CALM_S)
  const written = await applyToDeployment(database, deployment, acts ? change : { ...change, next_look_at })
  if (written === 'stale') return
  await sweepSecrets(ports, { revisions, gone: [...gone, ...[...changed.values()].filter(({ state }) => state === 'gone')] })
  if (!acts) return
  // A rollout's turn must not wait for the executor: gateways learn of it first.
  await publishSnapshot(database)
  const { replicas: existing, events } = await applyPlan(ports, { revisions, plan, project: deployment.project })
  const came = await applyToDeployment(database, deployment, { at: clock(), existing, events, next_look_at: clock() + SOON_S })
  // The database has lost earlier writes: the next round finds the jobs and decides again.
  if (came === 'stale') await applyToDeployment(database, deployment, { at: clock(), events: [], next_look_at: clock() + SOON_S })
}

type PlacementInputs = { readonly revisions: readonly Revision[]; readonly seen: readonly ObservedReplica[] }

/** New replicas with the nodes they must avoid; decided before the write, so that a second submission requests the same. */
async function placeReplicas({ executor, site }: DeployPorts, plan: RoundPlan, { revisions, seen }: PlacementInputs): Promise<RoundPlan> {
  const created = plan.submit.filter(({ id }) => !seen.some(({ replica }) => replica.id === id))
  if (created.length === 0) return plan
  const capacity = await executor.capacity()
  if (capacity.answer === 'unreachable') return plan
  const hosts = seen.flatMap(({ job }) => (job.state === 'running' ? job.nodes : []))
  const slots = Math.max(...revisions.map(({ processesPerReplica }) => processesPerReplica))
  const ready = capacity.nodes.filter(isInService)
  const equipped = created.map((replica) => withDevices(replica, revisions, { site, ready }))
  const rooms = capacity.nodes.map((node) => (equipped.every(({ devices }) => hasFree(node, devices)) ? node : { ...node, free: 0 }))
  const excluded = excludedNodes(rooms, { hosts, starts: created.length, slots })
  const now = new Map(equipped.map(({ replica }, index) => [replica.id, { ...replica, excluded: excluded[index] ?? [] }]))
  const updatedReplica = (replica: Replica): Replica => now.get(replica.id) ?? replica
  return {
    ...plan,
    submit: plan.submit.map(updatedReplica),
    change: { ...plan.change, replicas: (plan.change.replicas ?? []).map(updatedReplica) },
  }
}

type EquippedReplica = { readonly replica: Replica; readonly devices?: NonNullable<JobSpec['devices']> }
type ReadyFleet = { readonly site: DeployPorts['site']; readonly ready: readonly Node[] }

/** With the accelerators that it is to have, by the cluster's name. */
function withDevices(replica: Replica, revisions: readonly Revision[], { site, ready }: ReadyFleet): EquippedReplica {
  const request = revisions.find(({ number }) => number === replica.revision)?.devices
  if (!request) return { replica }
  const kind = singleNodeKind(request, site.accelerators ?? [], ready)
  return { replica: { ...replica, deviceKind: kind }, devices: { kind, perNode: request.perNode } }
}

const hasFree = (node: Node, devices: EquippedReplica['devices']): boolean =>
  devices === undefined || countOfKind(node.devices, devices.kind).free >= devices.perNode

/** A secret for each new replica, written before its job is submitted, so that a second submission sends the same. */
function withTokens(plan: RoundPlan): RoundPlan {
  const tokens = new Map<string, string>()
  const replicaWithToken = (replica: Replica): Replica => {
    if (replica.state !== 'submitting' || replica.token !== undefined) return replica
    const token = tokens.get(replica.id) ?? randomBytes(16).toString('hex')
    tokens.set(replica.id, token)
    return { ...replica, token }
  }
  return {
    ...plan,
    submit: plan.submit.map(replicaWithToken),
    change: { ...plan.change, replicas: (plan.change.replicas ?? []).map(replicaWithToken) },
  }
}

const submitReplica = ({ executor, site }: DeployPorts, replica: Replica, revision: Revision) =>
  executor.submit(replicaJob(site, replica, revision))

type SecretsInputs = { readonly replica: Replica; readonly revision: Revision; readonly project: string }

/** Its certificate and secrets are there before its job is; undefined once they are. */
async function refusedSecrets(
  { secrets, certificates, site }: DeployPorts,
  { replica, revision, project }: SecretsInputs,
): Promise<Refused | Unreachable | undefined> {
  const directory = replicaDirectory(site, replica.id)
  const uncertified = await certificates?.provide(directory, replica.id)
  if (uncertified) return { answer: 'unreachable', reason: uncertified.away }
  if (!revision.secrets) return undefined
  const withheld = await secrets?.provide({ directory, project, references: revision.secrets })
  if (!withheld) return undefined
  if (withheld.isMissing) return { answer: 'refused', field: 'secrets', reason: withheld.away }
  return { answer: 'unreachable', reason: withheld.away }
}

/** Not waited for: storage that hangs must not hold the round. */
function renewCertificates({ certificates, site }: DeployPorts, replicas: readonly Replica[]): void {
  if (!certificates) return
  const provided = replicas.filter(({ state }) => state !== 'submitting')
  // What fails is tried again in the next round, ten days before the certificate ends.
  void Promise.allSettled(provided.map(({ id }) => certificates.renew(replicaDirectory(site, id), id)))
}

/** The last words of an engine end in events. */
async function redactedLook({ redaction }: DeployPorts, project: string, look: ReplicaLook): Promise<ReplicaLook> {
  const { lastWords } = look.seen
  if (lastWords === undefined || !redaction) return look
  const { text } = await redaction.part(project, { text: lastWords, next: 0 })
  return { ...look, seen: { ...look.seen, lastWords: text } }
}

/** Ids of replicas are never given out twice: what was removed once stays removed. */
const swept = new Set<string>()
const MOST_SWEPT = 10_000

/** Those of the last hour: a control plane that was killed may have left the secrets of some. */
async function sweepSecrets(
  { secrets, site }: DeployPorts,
  { revisions, gone }: { readonly revisions: readonly Revision[]; readonly gone: readonly Replica[] },
): Promise<void> {
  if (swept.size > MOST_SWEPT) swept.clear()
  for (const { id, revision } of gone) {
    const had = revisions.find(({ number }) => number === revision)?.secrets
    if (had && !swept.has(id) && (await secrets?.remove(replicaDirectory(site, id)))) swept.add(id)
  }
}

type ActionResult = { readonly replicas: readonly Replica[]; readonly events: readonly NewEvent[] }

async function applyPlan(
  ports: DeployPorts,
  { revisions, plan, project }: { revisions: readonly Revision[]; plan: RoundPlan; project: string },
): Promise<ActionResult> {
  const submitted = await Promise.all(
    plan.submit.map(async (replica): Promise<ActionResult> => {
      const revision = revisions.find(({ number }) => number === replica.revision)
      if (!revision) throw new IronlawError('IL_UNEXPECTED', { reason: `replica ${replica.id} has no revision ${replica.revision}` })
      const answer = (await refusedSecrets(ports, { replica, revision, project })) ?? (await submitReplica(ports, replica, revision))
      const now = ports.now()
      const body = { replica: replica.id, revision: replica.revision }
      switch (answer.answer) {
        case 'unreachable':
          return { replicas: [], events: [] }
        case 'refused': {
          const detail = `${answer.field}: ${answer.reason}`
          const over: Replica = { ...replica, state: 'gone', since: now, end: 'refused', detail }
          return { replicas: [over], events: [reconcilerEvent({ now }, 'replica-gone', { ...body, end: 'refused', why: detail })] }
        }
        case 'submitted': {
          const waits: Replica = { ...replica, state: 'starting', since: now }
          return { replicas: [waits], events: [reconcilerEvent({ now }, 'replica-submitted', { ...body, job: answer.reference })] }
        }
      }
    }),
  )
  for (const { id } of plan.cancel) await ports.executor.cancel(id)
  return { replicas: submitted.flatMap((each) => each.replicas), events: submitted.flatMap((each) => each.events) }
}
