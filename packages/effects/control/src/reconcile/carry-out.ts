// Carries out a decision about one leased run. Order matters: what is intended is written first, under the lease's token; then the
// executor is asked, in a way that may be repeated; then the result is written. Killed anywhere in between, the next holder of the
// lease finds the intention and asks again.

import { type Allocation, allocationKey, type Attempt, type AttemptOutcome, type RunState } from '@ironlaw/contracts'
import {
  refusedRequests,
  type ObservedAllocation,
  type Diagnosis,
  drainDecision,
  type Observation,
  resumptionText,
  type RunAction,
} from '@ironlaw/policies/run'
import {
  applyUnderLease,
  checkpointsOf,
  drainNode,
  type JsonObject,
  type Lease,
  type NewEvent,
  nodesOf,
  recordDrainWithheld,
  recordReadings,
  type RunChange,
  strikeNode,
  suspicionsOf,
} from '@ironlaw/store'
import type { Refused } from '@ironlaw/executors'
import type { RunSpec } from '../runs/run-spec.ts'
import { nextLook } from './next-look.ts'
import { deviceKindOf, attemptSighting as jobSeen } from './observation.ts'
import type { ReconcilePorts } from './ports.ts'
import type { StorageAway } from '../storage/shared-storage.ts'
import { allocationJob, runDirectory } from './site.ts'

export type ActionOutcome =
  /** The run's lease was given back, or lost to another holder. */
  | { readonly kind: 'done' }
  /** Nothing to write: the lease is to be given back until then. */
  | { readonly kind: 'idle'; readonly next_look_at: number }
  /** Something changed that calls for another decision at once. */
  | { readonly kind: 'again'; readonly seen: Observation }

export type LeasedRun = { readonly ports: ReconcilePorts; readonly lease: Lease; readonly spec: RunSpec; readonly seen: Observation }

/** Until the executor is asked again after it could not be reached. */
const RETRY_S = 1
/** From a request for more nodes that was refused to the next: what refused it is a fleet that is short of nodes for minutes. */
const REFUSED_S = 15
/** Up to eight minutes. */
const MOST_DOUBLED = 5

export function carryOut(held: LeasedRun, action: RunAction): Promise<ActionOutcome> {
  switch (action.do) {
    case 'watch':
      return watchRun(held, action)
    case 'begin':
      return beginAttempt(held, action)
    case 'place':
      return placeAttempt(held, action)
    case 'allocate': {
      const { do: _, ...request } = action
      return requestAllocation(held, { ...request, state: 'submitting', submittedAt: held.seen.now }, 'created')
    }
    case 'submit-again': {
      const { job: _, ...allocation } = action.allocation
      return requestAllocation(held, allocation, 'repeated')
    }
    case 'abandon':
      return abandonAttempt(held, action.diagnosis)
    case 'cancel-jobs':
      return cancelJobs(held, action)
    case 'end':
      return endRun(held, action)
  }
}

export const reconcilerEvent = (held: Pick<LeasedRun, 'ports'>, kind: string, body: JsonObject): NewEvent => ({
  kind,
  actor: 'reconciler',
  at: held.ports.now(),
  body,
})

export function writeChange(
  { ports, lease }: Pick<LeasedRun, 'ports' | 'lease'>,
  change: Omit<RunChange, 'at'>,
): Promise<'applied' | 'stale'> {
  return applyUnderLease(ports.database, { run_id: lease.run.id, token: lease.token }, { at: ports.now(), ...change })
}

async function watchRun(held: LeasedRun, { state, why, forgive }: Extract<RunAction, { do: 'watch' }>): Promise<ActionOutcome> {
  const { lease, seen, ports } = held
  const next_look_at = nextLook(seen, state, ports.limits)
  const sameState = state === lease.run.state
  if (sameState && forgive === undefined && why === (lease.run.wait_reason ?? '')) return { kind: 'idle', next_look_at }
  const attempt = seen.attempts.at(-1)?.number ?? 0
  await writeChange(held, {
    state,
    wait_reason: why,
    next_look_at,
    ...(forgive !== undefined && { forgiven: forgive }),
    events: [
      reconcilerEvent(held, sameState ? 'run-waits' : `run-${state}`, {
        attempt,
        ...(why && { why }),
        ...(forgive !== undefined && { forgiven: forgive }),
      }),
    ],
  })
  return { kind: 'done' }
}

async function beginAttempt(
  held: LeasedRun,
  { number, nodes, excluded, resumeBefore, check }: Extract<RunAction, { do: 'begin' }>,
): Promise<ActionOutcome> {
  const { seen, ports } = held
  const unseen = await ports.storage.probe?.()
  if (unseen)
    return watchRun(held, { do: 'watch', state: number === 1 ? 'queued' : 'recovering', why: `waiting for storage: ${unseen.away}` })
  const attempt: Attempt = {
    number,
    state: 'submitted',
    nodes,
    excluded,
    submittedAt: ports.now(),
    ...(resumeBefore !== undefined && { resumeBefore }),
    ...(check && { check }),
  }
  const why = isRecovery(seen, attempt) ? await resumptionOf(held, resumeBefore) : undefined
  const applied = await writeChange(held, {
    state: 'starting',
    attempt: number,
    wait_reason: why === undefined ? 'gathering nodes' : `gathering nodes; ${why}`,
    attempts: [attempt],
    events: [
      reconcilerEvent(held, 'attempt-created', {
        attempt: number,
        nodes,
        excluded,
        ...(check && { check }),
        ...(why !== undefined && { why }),
      }),
    ],
  })
  return applied === 'stale' ? { kind: 'done' } : repeatWith(seen, { attempts: [...seen.attempts, attempt] }, ports.now())
}

/** Not when only checks went before. */
const isRecovery = ({ attempts }: Observation, { check }: Attempt): boolean => !check && attempts.some((before) => !before.check)

async function resumptionOf({ ports, lease, seen }: LeasedRun, before = Infinity): Promise<string> {
  const usable = (await checkpointsOf(ports.database, lease.run.id)).filter(({ state, step }) => state === 'committed' && step < before)
  const steps = seen.attempts.flatMap(({ lastStep }) => lastStep ?? [])
  return resumptionText({ checkpoint: usable.at(-1)?.step, lastStep: steps.length === 0 ? undefined : Math.max(...steps) })
}

async function placeAttempt(held: LeasedRun, { attempt, members }: Extract<RunAction, { do: 'place' }>): Promise<ActionOutcome> {
  const { ports, seen } = held
  const withheld = await provideSecrets(held)
  if (withheld) return watchRun(held, { do: 'watch', state: 'starting', why: `waiting for its secrets: ${withheld.away}` })
  const nodes = members.map(({ node }) => node)
  const allocations = [...new Set(members.map(({ allocation }) => allocation))]
  const running: Attempt = { ...attempt, state: 'running', members, placed: nodes, startedAt: ports.now() }
  await writeChange(held, {
    wait_reason: 'the job runs, its agents have not reported yet',
    attempts: [running],
    next_look_at: nextLook(seen, 'starting', ports.limits),
    events: [reconcilerEvent(held, 'attempt-started', { attempt: attempt.number, nodes, allocations })],
  })
  return { kind: 'done' }
}

async function requestAllocation(held: LeasedRun, allocation: Allocation, how: 'created' | 'repeated'): Promise<ActionOutcome> {
  const { ports, lease, spec, seen } = held
  const { id, program } = lease.run
  const attempt = seen.attempts.at(-1)?.number ?? 0
  if (how === 'created') {
    const { number, nodes, excluded, deviceKind } = allocation
    const devices = deviceKind === undefined ? {} : { devices: `${spec.shape.devices?.perNode} ${deviceKind}` }
    const intended = await writeChange(held, {
      wait_reason: 'asking the executor for nodes',
      allocations: [allocation],
      events: [reconcilerEvent(held, 'allocation-created', { attempt, allocation: number, nodes, excluded, ...devices })],
    })
    if (intended === 'stale') return { kind: 'done' }
  }
  const unseen = await ports.provideToken(id)
  const state = lease.run.state === 'running' ? 'running' : 'starting'
  const withheld = unseen ?? (await provideSecrets(held))
  if (!unseen && withheld) return watchRun(held, { do: 'watch', state, why: `waiting for its secrets: ${withheld.away}` })
  if (unseen) return watchRun(held, { do: 'watch', state, why: `waiting for storage: ${unseen.away}` })
  const answer = await ports.executor.submit(allocationJob(ports.site, { run: id, program, spec, allocation }))
  if (answer.answer === 'unreachable') return { kind: 'idle', next_look_at: ports.now() + RETRY_S }
  const all: readonly ObservedAllocation[] = [
    ...seen.allocations.filter(({ number }) => number !== allocation.number),
    { ...allocation, job: { state: 'pending', reason: 'submitted' } },
  ]
  // A request that cannot be met from the start is the run's own fault. Later ones are refused while nodes are away, and the run may yet finish.
  if (answer.answer === 'refused' && allocation.number > 1) return recordRefusal(held, allocation, answer)
  if (answer.answer === 'refused') return endRun({ ...held, seen: { ...seen, allocations: all } }, refusedEnd(answer))
  await writeChange(held, {
    wait_reason: 'waiting for the executor to start the job',
    allocations: [{ ...allocation, state: 'submitted', reference: answer.reference }],
    next_look_at: ports.now() + 0.3,
    events: [reconcilerEvent(held, 'allocation-submitted', { attempt, allocation: allocation.number, job: answer.reference })],
  })
  return { kind: 'done' }
}

/** Before the executor is asked and before each attempt: at the end of the one before they were removed. */
async function provideSecrets({ ports, lease }: LeasedRun): Promise<StorageAway | undefined> {
  const { id, project, program } = lease.run
  if (!program.secrets) return undefined
  return ports.secrets?.provide({ directory: runDirectory(ports.site, id), project, references: program.secrets })
}

/** What storage that is away keeps, release-nodes.ts removes. */
async function removeSecrets({ ports, lease }: LeasedRun): Promise<void> {
  if (lease.run.program.secrets) await ports.secrets?.remove(runDirectory(ports.site, lease.run.id))
}

async function abandonAttempt(held: LeasedRun, diagnosis: Diagnosis): Promise<ActionOutcome> {
  const { ports, seen } = held
  const current = seen.attempts.at(-1)
  if (!current) return { kind: 'done' }
  const { cause, detail, sources, suspects, resumeBefore } = diagnosis
  const outcome: AttemptOutcome = {
    cause,
    detail,
    ...(suspects.length > 0 && { nodes: suspects }),
    ...(resumeBefore !== undefined && { step: resumeBefore }),
  }
  const over: Attempt = { ...current, state: 'ended', endedAt: ports.now(), outcome }
  const [state, kind] = current.check ? (['starting', 'nodes-checked'] as const) : (['recovering', 'attempt-abandoned'] as const)
  const applied = await writeChange(held, {
    state,
    wait_reason: `${cause}: ${detail}`,
    attempts: [over],
    events: [reconcilerEvent(held, kind, { attempt: current.number, cause, detail, sources, suspects })],
  })
  if (applied === 'stale') return { kind: 'done' }
  await removeSecrets(held)
  await recordNodes(held, current)
  for (const name of suspects) await suspectNode(held, name, diagnosis)
  // What its ranks said no longer counts.
  const attempts = [...seen.attempts.slice(0, -1), over]
  return repeatWith(seen, { attempts, state, nodes: [], exits: [], verdicts: [], readings: [] }, ports.now())
}

/** What a check measured stays with the nodes, whatever follows from it. */
async function recordNodes(held: LeasedRun, { number }: Attempt): Promise<void> {
  const { ports, lease, seen } = held
  const { readings = [], allocations } = seen
  const rates = new Map(readings.map(({ node, ...rest }) => [node, rest]))
  if (rates.size === 0) return
  const event = reconcilerEvent(held, 'node-checked', { run: lease.run.id, attempt: number })
  await recordReadings(ports.database, ports.cluster, { kind: deviceKindOf(allocations), rates, event })
}

function repeatWith(seen: Observation, change: Partial<Observation>, now: number): ActionOutcome {
  const next = { ...seen, ...change, now }
  return { kind: 'again', seen: { ...next, job: jobSeen(next) } }
}

async function suspectNode(held: LeasedRun, name: string, { cause, detail, confirmed = [] }: Diagnosis): Promise<void> {
  const { database, executor, cluster, now } = held.ports
  const node = { cluster, name }
  const suspicion = { run: held.lease.run.id, cause, detail, confirmed: confirmed.includes(name) }
  await strikeNode(database, node, reconcilerEvent(held, 'node-suspected', suspicion))
  const drainedAt = (await nodesOf(database, cluster)).filter(({ state }) => state === 'drained').map(({ changed_at }) => changed_at)
  const fleet = held.seen.capacity?.length ?? 0
  const decision = drainDecision({ now: now(), suspicions: await suspicionsOf(database, node), fleet, drainedAt })
  if (decision.do === 'keep') return recordDrainWithheld(database, node, reconcilerEvent(held, 'drain-withheld', { why: decision.why }))
  const reason = `ironlaw: ${cause} in ${held.lease.run.id}`
  const drained = await executor.drain(name, reason)
  // What the executor still uses is not drained, whatever we think of it; the next strike asks again.
  if (drained.answer !== 'done') return
  await drainNode(database, { ...node, reason }, reconcilerEvent(held, 'node-drained', { reason }))
}

async function cancelJobs(held: LeasedRun, { state, why }: Extract<RunAction, { do: 'cancel-jobs' }>): Promise<ActionOutcome> {
  const { ports, lease, seen } = held
  const next_look_at = nextLook(seen, state, ports.limits)
  const attempt = seen.attempts.at(-1)?.number ?? 0
  if (lease.run.state !== state || lease.run.wait_reason !== why) {
    const applied = await writeChange(held, { state, wait_reason: why, events: [reconcilerEvent(held, `run-${state}`, { attempt, why })] })
    if (applied === 'stale') return { kind: 'done' }
  }
  await cancelAll(held)
  return { kind: 'idle', next_look_at }
}

/** False when the executor could not be reached for one of them. */
async function cancelAll({ ports, lease, seen }: LeasedRun): Promise<boolean> {
  for (const { number } of seen.allocations) {
    const { answer } = await ports.executor.cancel(allocationKey(lease.run.id, number))
    if (answer === 'unreachable') return false
  }
  return true
}

async function recordRefusal(held: LeasedRun, allocation: Allocation, { field, reason }: Refused): Promise<ActionOutcome> {
  const { ports, seen } = held
  const attempt = seen.attempts.at(-1)
  const refusals = attempt ? refusedRequests(seen, attempt) : 0
  await writeChange(held, {
    wait_reason: `the executor refuses more nodes, ${field}: ${reason}`,
    allocations: [{ ...allocation, state: 'ended', endedAt: ports.now() }],
    next_look_at: ports.now() + (refusals === 0 ? RETRY_S : REFUSED_S * 2 ** Math.min(refusals - 1, MOST_DOUBLED)),
    events: [reconcilerEvent(held, 'allocation-refused', { attempt: attempt?.number ?? 0, allocation: allocation.number, field, reason })],
  })
  return { kind: 'done' }
}

const refusedEnd = ({ field, reason }: Refused): EndAction => ({
  do: 'end',
  state: 'failed',
  outcome: { cause: 'refused', detail: `${field}: ${reason}` },
})

type EndAction = {
  readonly do: 'end'
  readonly state: Extract<RunState, 'succeeded' | 'failed' | 'cancelled'>
  readonly outcome: AttemptOutcome
}

/** Agents of a run that succeeded leave by themselves; whoever does not is seen to by release-nodes.ts. */
async function endRun(held: LeasedRun, { state, outcome }: EndAction): Promise<ActionOutcome> {
  const { ports, seen } = held
  const attempt = seen.attempts.at(-1)
  const live = attempt && attempt.state !== 'ended' ? attempt : undefined
  if (state === 'failed' && !(await cancelAll(held))) return { kind: 'idle', next_look_at: ports.now() + RETRY_S }
  const applied = await writeChange(held, {
    state,
    wait_reason: null,
    verdict: outcome,
    ...(live && { attempts: [{ ...live, state: 'ended', endedAt: ports.now(), outcome }] }),
    events: [reconcilerEvent(held, `run-${state}`, { attempt: attempt?.number ?? 0, ...outcome })],
  })
  if (applied === 'applied') await removeSecrets(held)
  return { kind: 'done' }
}
