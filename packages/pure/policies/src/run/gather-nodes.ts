// Which nodes an attempt starts on. Nodes that a run holds stay held: an attempt takes the members that answer, first those of the
// attempt before it, each in its old place; only what is then missing is asked of the executor.

import { type Allocation, type Attempt, type Member, type NodeSighting, type Sighting, slotsPerNode } from '@ironlaw/contracts'
import { announceSilence_s } from './announce-interval.ts'
import { chosenKind, deviceMisfit, deviceWaitText, isEquipped, kindsToTry } from './devices.ts'
import type { RunLimits } from './limits.ts'
import type { ObservedAgent, ObservedAllocation, Observation } from './observation.ts'
import { countText } from './sentence.ts'

type Allocate = {
  readonly do: 'allocate'
  readonly number: number
  readonly nodes: number
  readonly excluded: readonly string[]
  /** Accelerators that it is to have, by the cluster's name. */
  readonly deviceKind?: string
}

export type GatherAction =
  /** All members answer: have their agents start the attempt. */
  | { readonly do: 'place'; readonly attempt: Attempt; readonly members: readonly Member[] }
  /** A further allocation of this many nodes. */
  | Allocate
  /** It was recorded and perhaps never reached the executor: ask again, the key makes it one job. */
  | { readonly do: 'submit-again'; readonly allocation: ObservedAllocation }
  | { readonly do: 'wait'; readonly why: string }

export function gatherNodes(seen: Observation, attempt: Attempt, limits: RunLimits): GatherAction {
  const before = seen.attempts.at(-2)?.members ?? []
  const agents = answeringAgents(seen, attempt, limits)
  const members = chosenMembers(agents, attempt, before)
  if (members.length >= attempt.nodes && !isAwaitingReturn(seen, { attempt, agents, before, limits }))
    return { do: 'place', attempt, members }
  const unsent = seen.allocations.find(({ state }) => state === 'submitting')
  if (unsent) return { do: 'submit-again', allocation: unsent }
  const missing =
    attempt.nodes - seen.allocations.reduce((sum, allocation) => sum + expectedNodes(seen, allocation, { attempt, limits }), 0)
  if (missing > 0) {
    const isFirst = seen.allocations.length === 0
    const spares = isFirst && !attempt.check ? (seen.shape.spares ?? 0) : 0
    // Where the executor has too few others, a suspect is better than none.
    const suspects = refusedRequests(seen, attempt) > 0 ? [] : attempt.excluded
    const excluded = isFirst ? suspects : [...new Set([...suspects, ...heldNodes(seen)])]
    return allocateAction(seen, { nodes: missing + spares, excluded })
  }
  return { do: 'wait', why: waitReason(seen, attempt, members.length) }
}

function allocateAction(seen: Observation, request: { readonly nodes: number; readonly excluded: readonly string[] }): GatherAction {
  const deviceKind = chosenKind(seen, request)
  // Asked for without them, the ranks would run on whatever accelerators others hold.
  if (seen.devices && deviceKind === undefined)
    return {
      do: 'wait',
      why: (seen.capacity && deviceMisfit(seen.devices, seen.capacity)) ?? 'the executor is unreachable, so no nodes can be requested',
    }
  const number = 1 + seen.allocations.length + seen.endedAllocations.length
  return { do: 'allocate', number, ...request, ...(deviceKind !== undefined && { deviceKind }) }
}

/** Allocations that the placed attempt does not need: requests not granted in time, and those without a node left. */
export function unneededAllocations(seen: Observation, limits: RunLimits): readonly ObservedAllocation[] {
  const attempt = seen.attempts.at(-1)
  if (!attempt || attempt.state !== 'running') return []
  const used = new Set(attempt.members?.map(({ allocation }) => allocation))
  // An attempt does not wait long for an agent to return, but its node is kept, because the agent may return a moment later.
  const patient = { ...limits, return_s: limits.agentSilence_s }
  return seen.allocations.filter((allocation) => {
    if (used.has(allocation.number)) return false
    const { state } = allocation.job
    const others = seen.allocations.filter((other) => other !== allocation)
    if (state === 'pending') return surplusNodes(seen, attempt, { allocations: others, limits }) >= 0
    return state === 'running' && expectedNodes(seen, allocation, { attempt, limits: patient }) === 0
  })
}

/**
 * Nodes that returned before the executor had given them up: it considers them healthy, but nothing runs there any more. Holding them
 * would be useless, and on a full fleet the run would wait for them itself. So would those that a check found slow.
 */
export function desertedNodes(
  seen: Observation,
  limits: RunLimits,
): readonly { readonly allocation: ObservedAllocation; readonly nodes: readonly string[] }[] {
  const { now, agents, attempts } = seen
  const attempt = attempts.at(-1)
  const used = attempt?.state === 'running' ? (attempt.members ?? []) : []
  const isHeard = agents.some(({ heardAt }) => now - heardAt <= limits.silence_s)
  if (!attempt || !isHeard) return []
  return seen.allocations.flatMap((allocation) => {
    const { number, job, heldAt = now } = allocation
    if (job.state !== 'running') return []
    const nodes = job.nodes.filter((node, place) => {
      if (job.unresponsive.includes(node) || used.some((member) => member.allocation === number && member.node === node)) return false
      // The script of a job runs on its first node.
      if (place > 0 && attempt.state === 'running' && wasSlow(attempts, node)) return true
      const lastHeard = agents.find((agent) => agent.allocation === number && agent.node === node)?.heardAt ?? heldAt
      return now - Math.max(lastHeard, awaitedSince(seen)) > limits.agentSilence_s
    })
    return nodes.length === 0 || nodes.length === job.nodes.length ? [] : [{ allocation, nodes }]
  })
}

/** A check before the start found it slow. */
const wasSlow = (attempts: readonly Attempt[], node: string): boolean =>
  attempts.some(({ outcome }) => outcome?.cause === 'slow-node' && outcome.nodes?.includes(node))

/** From one request for a spare to the next, doubled for each that came to nothing since the attempt started. */
const RESTOCK_S = 10
const MOST_DOUBLED = 8
/**
 * A suspect that is still idle this long after its attempt was given up has been repaired, or was not at fault: others are drained or down.
 */
const SUSPECT_S = 60

/** Requests a new spare after one has replaced a lost node, if a node is idle. */
export function restockAction(seen: Observation, attempt: Attempt, limits: RunLimits): GatherAction | undefined {
  const { allocations, endedAllocations, capacity = [], shape, now } = seen
  const unsent = allocations.find(({ state }) => state === 'submitting')
  if (unsent) return { do: 'submit-again', allocation: unsent }
  const missing = -surplusNodes(seen, attempt, { allocations, limits })
  const newest = [...allocations, ...endedAllocations].reduce((latest, { submittedAt }) => Math.max(latest, submittedAt), -Infinity)
  const vain = endedAllocations.filter(({ submittedAt }) => submittedAt >= (attempt.startedAt ?? now)).length
  if (missing <= 0 || now - newest < RESTOCK_S * 2 ** Math.min(vain, MOST_DOUBLED)) return undefined
  const suspects = now - attempt.submittedAt < SUSPECT_S ? attempt.excluded : []
  const excluded = [...new Set([...suspects, ...heldNodes(seen)])]
  const [kind] = kindsToTry(seen)
  const hasRoom = (node: NodeSighting): boolean =>
    node.state === 'idle' && node.free >= slotsPerNode(shape) && isEquipped(node, seen.devices, { kind, by: 'free' })
  const idle = capacity.filter((node) => hasRoom(node) && !excluded.includes(node.name))
  return idle.length === 0 ? undefined : allocateAction(seen, { nodes: Math.min(missing, idle.length), excluded })
}

type SurplusScope = { readonly allocations: readonly ObservedAllocation[]; readonly limits: RunLimits }

/** Nodes beyond what the attempt and the plan's spares need. */
function surplusNodes(seen: Observation, attempt: Attempt, { allocations, limits }: SurplusScope): number {
  const held = allocations.reduce((sum, allocation) => sum + expectedNodes(seen, allocation, { attempt, limits }), 0)
  return held - attempt.nodes - (seen.shape.spares ?? 0)
}

/** What the executor shows of the nodes that an attempt is placed on, over all allocations that they belong to. */
export function sightingOfMembers(
  members: readonly Member[],
  { allocations, endedAllocations }: Pick<Observation, 'allocations' | 'endedAllocations'>,
): Sighting {
  const jobs = new Map<number, Sighting>(allocations.map(({ number, job }) => [number, job]))
  for (const { number, how } of endedAllocations) jobs.set(number, how === undefined ? { state: 'absent' } : { state: 'ended', how })
  const jobOf = ({ allocation }: Member): Sighting => jobs.get(allocation) ?? { state: 'absent' }
  const blind = members.map(jobOf).find(({ state }) => state === 'unreachable')
  if (blind) return blind
  const isGone = (member: Member): boolean => {
    const job = jobOf(member)
    return job.state !== 'running' || !job.nodes.includes(member.node)
  }
  const [first] = members
  if (first && members.every(isGone)) {
    const over = members.map(jobOf).find(({ state }) => state === 'ended' || state === 'ending')
    return over ?? { state: 'absent' }
  }
  const isUnresponsive = (member: Member): boolean => {
    const job = jobOf(member)
    return isGone(member) || (job.state === 'running' && job.unresponsive.includes(member.node))
  }
  const names = (which: readonly Member[]): readonly string[] => which.map(({ node }) => node)
  return { state: 'running', nodes: names(members), unresponsive: names(members.filter(isUnresponsive)) }
}

/** Of all that a run holds or has asked for: over only when everything is. */
export function sightingOfAll(allocations: readonly ObservedAllocation[]): Sighting {
  const order = ['unreachable', 'running', 'pending', 'ending', 'ended', 'absent'] as const
  const jobs = allocations.map(({ job }) => job).toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
  return jobs[0] ?? { state: 'absent' }
}

function answeringAgents(seen: Observation, attempt: Attempt, limits: RunLimits): readonly ObservedAgent[] {
  const { now, agents, allocations, shape } = seen
  const silence_s = Math.max(limits.silence_s, announceSilence_s(shape))
  const byNumber = new Map(allocations.map((allocation) => [allocation.number, allocation]))
  return agents.filter((agent) => {
    const { allocation: number, node, heardAt } = agent
    const allocation = byNumber.get(number)
    if (!allocation || !hasReturned(seen, agent)) return false
    const { job } = allocation
    const isHeld = job.state === 'unreachable' || (job.state === 'running' && job.nodes.includes(node))
    return isHeld && now - heardAt <= silence_s && !isExcluded(seen, attempt, { node, allocation })
  })
}

/** The last attempt that an agent took part in, of those that are over. */
const lastAttemptOf = ({ attempts }: Observation, { incarnation }: ObservedAgent): Attempt | undefined =>
  attempts.findLast(({ state, members = [] }) => state === 'ended' && members.some((member) => member.incarnation === incarnation))

/**
 * Whether it has come back from its last attempt. That it was heard a moment ago says little: a node without power closes no connection,
 * and its ranks are missed by those of other nodes before its silence is. An agent that was never reached by the order announces itself.
 */
function hasReturned(seen: Observation, agent: ObservedAgent): boolean {
  const { number, endedAt = seen.now } = lastAttemptOf(seen, agent) ?? { number: 0 }
  const { endedAttempt = Infinity, announcedAt } = agent
  // An end in the future was written by a wrong clock.
  return endedAttempt >= number || announcedAt > endedAt || endedAt > seen.now
}

type ReturnInputs = {
  readonly attempt: Attempt
  readonly agents: readonly ObservedAgent[]
  readonly before: readonly Member[]
  readonly limits: RunLimits
}

/** Too few of the members before have reported back, and it is too soon to put a spare in the place of one that has not. */
function isAwaitingReturn(seen: Observation, { attempt, agents, before, limits }: ReturnInputs): boolean {
  const hasTakenPart = (agent: ObservedAgent): boolean => before.some(({ incarnation }) => incarnation === agent.incarnation)
  const isAwaited = (agent: ObservedAgent): boolean =>
    hasTakenPart(agent) && !hasReturned(seen, agent) && seen.now - (lastAttemptOf(seen, agent)?.endedAt ?? -Infinity) <= limits.return_s
  const held = seen.agents.filter(
    ({ node, allocation: number }) =>
      !attempt.excluded.includes(node) &&
      seen.allocations.some(({ number: own, job }) => own === number && job.state === 'running' && job.nodes.includes(node)),
  )
  return agents.filter(hasTakenPart).length < attempt.nodes && held.some(isAwaited)
}

/** What was asked for after the attempt began was asked for in knowledge of its suspects. Where there are no others, one that is held will do. */
const isExcluded = (
  seen: Observation,
  attempt: Attempt,
  { node, allocation }: { readonly node: string; readonly allocation: ObservedAllocation },
): boolean => attempt.excluded.includes(node) && allocation.submittedAt <= attempt.submittedAt && refusedRequests(seen, attempt) === 0

/** Those that took part before keep their places, and with them their ranks; others fill the gaps. */
function chosenMembers(agents: readonly ObservedAgent[], { nodes }: Attempt, before: readonly Member[]): readonly Member[] {
  const same = (a: Member, b: Member): boolean => a.allocation === b.allocation && a.index === b.index
  const others = agents.filter((agent) => !before.some((member) => same(member, agent)))
  const kept = before.map((member) => agents.find((agent) => same(member, agent)))
  const filled = kept.map((agent) => agent ?? others.shift()).filter((agent) => agent !== undefined)
  return [...filled, ...others]
    .slice(0, nodes)
    .map(({ allocation, index, node, incarnation }) => ({ allocation, index, node, incarnation }))
}

/** Requests for this attempt that the executor never took. */
export const refusedRequests = ({ endedAllocations }: Pick<Observation, 'endedAllocations'>, attempt: Attempt): number =>
  endedAllocations.filter((allocation) => allocation.submittedAt >= attempt.submittedAt && !wasAccepted(allocation)).length

export const wasAccepted = ({ reference, heldAt }: Allocation): boolean => reference !== undefined || heldAt !== undefined

type AttemptContext = { readonly attempt: Attempt; readonly limits: RunLimits }

/** Nodes of an allocation that may yet take part. */
function expectedNodes(seen: Observation, allocation: ObservedAllocation, { attempt, limits }: AttemptContext): number {
  const { job, nodes, heldAt } = allocation
  const own = seen.agents.filter((agent) => agent.allocation === allocation.number)
  const isHeard = seen.agents.some(({ heardAt }) => seen.now - heardAt <= limits.silence_s)
  const isLost = (agent: ObservedAgent): boolean => {
    const silent_s = seen.now - Math.max(agent.heardAt, awaitedSince(seen))
    return (
      isExcluded(seen, attempt, { node: agent.node, allocation }) ||
      (isHeard && silent_s > (hasReturned(seen, agent) ? limits.agentSilence_s : limits.return_s))
    )
  }
  switch (job.state) {
    case 'unreachable':
      return Math.max(0, nodes - own.filter(isLost).length)
    case 'pending':
      return nodes
    case 'running': {
      const left = job.nodes.filter((node) => !isExcluded(seen, attempt, { node, allocation }) && !isSilent(seen, node, { job, limits }))
      const lost = left.filter((node) => own.some((agent) => agent.node === node && isLost(agent))).length
      const isLate = isHeard && seen.now - (heldAt ?? seen.now) > limits.agentSilence_s
      const unannounced = isLate ? left.filter((node) => !own.some((agent) => agent.node === node)).length : 0
      return Math.max(0, left.length - lost - unannounced)
    }
    case 'ending':
    case 'ended':
    case 'absent':
      return 0
  }
}

/** While an attempt runs its head speaks for all agents; each speaks for itself again from the attempt's end on. */
const awaitedSince = ({ attempts }: Observation): number => attempts.findLast(({ state }) => state === 'ended')?.endedAt ?? -Infinity

/** The executor says that the node does not answer, and its agent was not heard lately. */
function isSilent(
  { now, agents }: Observation,
  node: string,
  { job, limits }: { readonly job: Extract<Sighting, { state: 'running' }>; readonly limits: RunLimits },
): boolean {
  const isHeard = agents.some((agent) => agent.node === node && now - agent.heardAt <= limits.silence_s)
  return job.unresponsive.includes(node) && !isHeard
}

const heldNodes = ({ allocations }: Observation): readonly string[] =>
  allocations.flatMap(({ job }) => (job.state === 'running' ? job.nodes : []))

function waitReason(seen: Observation, { nodes }: Attempt, answered: number): string {
  const pending = seen.allocations.find(({ job }) => job.state === 'pending')
  const held = seen.allocations.length > 1 || answered > 0 ? `; agents on ${answered} of ${countText(nodes, 'node')} have reported in` : ''
  if (pending?.job.state === 'pending') {
    const devices = deviceWaitText(seen, pending.nodes)
    return `${pending.job.reason}${devices && `: ${devices}`}${held}`
  }
  const blind = seen.allocations.find(({ job }) => job.state === 'unreachable')
  if (blind?.job.state === 'unreachable') return `cannot see the job: ${blind.job.reason}`
  return `agents on ${answered} of ${countText(nodes, 'node')} have reported in`
}
