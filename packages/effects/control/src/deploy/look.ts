// What can be seen of one deployment's replicas: their jobs, their own readiness, and what gateways had of them.

import type { Replica, Revision, Sighting } from '@ironlaw/contracts'
import { isRolling } from '@ironlaw/contracts'
import { GATEWAY_FRESH_S, hasApplied, type ObservedReplica } from '@ironlaw/policies/deployment'
import type { CanaryInterval } from '@ironlaw/policies/rollout'
import type { Deployment, Gateway } from '@ironlaw/store'
import type { KeepTime, DrainProgress, ConfigPosition, DeploymentMemory } from './memory.ts'
import type { DeployPorts } from './ports.ts'
import type { AnnouncedEndpoint, ReplicaIdentity } from './replica-access.ts'
import type { NodeAddress } from './replica-address.ts'

/** An answer that a gateway had so lately makes a probe of ours needless. */
const HEARD_S = 3

/** Looks come more often. A longer gap counts as this much only: a clock jumped by years, or no control plane was running. */
const LONGEST_STEP_S = 2
/** Looks are rarer where all replicas serve or are kept in reserve. */
const LONGEST_CALM_STEP_S = 5

type LookTarget = { readonly replica: Replica; readonly job: Sighting; readonly model?: string }

type LookContext = {
  readonly gateways: readonly Gateway[]
  readonly config: ConfigPosition
  readonly memory: DeploymentMemory
  readonly now: number
}

export type ReplicaLook = {
  readonly seen: ObservedReplica
  readonly silentSince?: number
  readonly left?: DrainProgress
  readonly kept?: KeepTime
}

export async function lookAt(
  ports: Pick<DeployPorts, 'access'> & Partial<Pick<DeployPorts, 'executor'>>,
  { replica, job, model }: LookTarget,
  { gateways, config, memory, now }: LookContext,
): Promise<ReplicaLook> {
  const { access } = ports
  const fresh = gateways.filter(({ seen_at }) => now - seen_at <= GATEWAY_FRESH_S)
  if ((job.state === 'ended' || job.state === 'absent') && endsByItself(replica)) {
    const lastWords = await access.lastWords(replica.id)
    return { seen: { replica, job, ...(lastWords !== undefined && { lastWords }) } }
  }
  if (replica.state === 'starting') {
    const found = replica.url ?? (job.state === 'running' ? await readAnnouncement(ports, replica, job.nodes) : undefined)
    const { url, detail: misplaced, proves = replica.proves } = endpointFields(found)
    const answer = url === undefined ? undefined : await access.isReady(url, identityOf({ ...replica, ...(proves && { proves }) }))
    const detail = typeof answer === 'object' ? answer.refused : misplaced
    const startedAt = replica.startedAt ?? (job.state === 'running' ? now : undefined)
    const learned = { ...(url !== undefined && { url }), ...(detail !== undefined && { detail }), ...(proves && { proves }) }
    const known = { ...replica, ...learned, ...(startedAt !== undefined && { startedAt }) }
    const changed = url !== replica.url || startedAt !== replica.startedAt || (detail !== undefined && detail !== replica.detail)
    const ready = answer === undefined ? {} : { ready: answer === true }
    const unfit =
      url !== undefined && ready.ready && model !== undefined ? await access.nameProblem(url, { replica: replica.id, model }) : undefined
    return { seen: { replica: changed ? known : replica, job, ...ready, ...(unfit !== undefined && { unfit }) } }
  }
  if (replica.state === 'draining') {
    const known = memory.left?.[replica.id]
    // It left the configuration before the one that is stored now, in the round that decided to drain it.
    const { epoch, version } = known?.epoch === config.epoch ? known : config
    const drained_s = countedSeconds(now, { lookedAt: known?.lookedAt, for_s: known?.drained_s }, LONGEST_STEP_S)
    const left = { epoch, version, lookedAt: now, drained_s }
    const isApplied = fresh.length === gateways.length && fresh.every(({ body }) => hasApplied(body, left))
    const inFlight = isApplied ? requestsInFlight(fresh, replica.id) : undefined
    return { seen: { replica, job, drained_s, ...(inFlight !== undefined && { inFlight }) }, left }
  }
  if ((replica.state !== 'serving' && replica.state !== 'warm') || replica.url === undefined) return { seen: { replica, job } }
  const kept = replica.state === 'warm' ? updatedKeepTime(now, memory.kept?.[replica.id]) : undefined
  const counted = kept && { kept_s: kept.kept_s }
  const heard = Math.max(0, ...fresh.flatMap((gateway) => heardTimes(gateway, replica.id)))
  if (now - heard <= HEARD_S || (await access.isReady(replica.url, identityOf(replica))) === true)
    return { seen: { replica, job, heardAt: now, ...counted }, ...(kept && { kept }) }
  const silentSince = memory.silent[replica.id] ?? now
  return { seen: { replica, job, heardAt: Math.max(heard, silentSince), ...counted }, silentSince, ...(kept && { kept }) }
}

const endsByItself = ({ state }: Replica): boolean => state === 'starting' || state === 'serving' || state === 'warm'

/**
 * From look to look, beginning with the first that finds the decision. The decision itself has the date of the round that made it, which may
 * have taken longer than the whole time to drain before it was written and gateways could know of it.
 */
const countedSeconds = (
  now: number,
  { lookedAt = now, for_s = 0 }: { readonly lookedAt: number | undefined; readonly for_s: number | undefined },
  longest_s: number,
): number => for_s + Math.min(longest_s, Math.max(0, now - lookedAt))

const updatedKeepTime = (now: number, before: KeepTime | undefined): KeepTime => ({
  lookedAt: now,
  kept_s: countedSeconds(now, { lookedAt: before?.lookedAt, for_s: before?.kept_s }, LONGEST_CALM_STEP_S),
})

function endpointFields(found: AnnouncedEndpoint): { readonly url?: string; readonly proves?: boolean; readonly detail?: string } {
  if (found === undefined) return {}
  if (typeof found === 'string') return { url: found }
  return 'refused' in found ? { detail: found.refused } : found
}

const identityOf = ({ id, proves, token }: Replica): ReplicaIdentity => ({ replica: id, ...(proves && { token }) })

/** The nodes are looked up only when there is an address to compare them with. */
function readAnnouncement(
  { access, executor }: Parameters<typeof lookAt>[0],
  { id, token }: Replica,
  nodes: readonly string[],
): Promise<AnnouncedEndpoint> {
  const places = async (): Promise<readonly NodeAddress[]> => {
    const fleet = await executor?.capacity()
    const known = new Map((fleet?.answer === 'capacity' ? fleet.nodes : []).map(({ name, address }) => [name, address]))
    return nodes.map((name) => ({ name, ...optional(known.get(name)) }))
  }
  return access.endpoint(id, { places, ...(token !== undefined && { token }) })
}

const optional = (address: string | undefined): { readonly address?: string } => (address === undefined ? {} : { address })

const heardTimes = ({ seen_at, body }: Gateway, id: string): readonly number[] =>
  body.replicas.flatMap((each) => (each.id === id && each.heard_age_s !== undefined ? [seen_at - each.heard_age_s] : []))

/** Undefined while a gateway may still send it more. */
function requestsInFlight(gateways: readonly Gateway[], id: string): number | undefined {
  const entries = gateways.flatMap(({ body }) => body.replicas.filter((each) => each.id === id))
  return entries.some(({ listed }) => listed) ? undefined : entries.reduce((sum, { running }) => sum + running, 0)
}

const NONE = { total: 0, bad: 0 }

type ProbeTargets = { readonly deployment: Deployment; readonly revisions: readonly Revision[]; readonly replicas: readonly Replica[] }

/** One known prompt to one replica of each revision, turn by turn. */
export async function probeRevisions(
  { access }: DeployPorts,
  { deployment, revisions, replicas }: ProbeTargets,
  now: number,
): Promise<CanaryInterval['quality']> {
  const { rollout, stable, spec } = deployment
  const turn = Math.floor(now)
  const probe = spec.probes[turn % Math.max(1, spec.probes.length)]
  if (!isRolling(rollout) || !probe) return { control: NONE, canary: NONE }
  const probeRevision = async (number: number) => {
    const serving = replicas.filter((replica) => replica.revision === number && replica.state === 'serving')
    const replica = serving[turn % Math.max(1, serving.length)]
    const model = revisions.find((revision) => revision.number === number)?.model
    if (replica?.url === undefined || model === undefined) return NONE
    const right = await access.isRight(replica.url, { replica: replica.id, model, probe })
    return right === undefined ? NONE : { total: 1, bad: right ? 0 : 1 }
  }
  const [control, canary] = await Promise.all([probeRevision(stable), probeRevision(rollout.revision)])
  return { control, canary }
}
