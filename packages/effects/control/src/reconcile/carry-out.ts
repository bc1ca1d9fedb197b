// Carries out a decision about one leased run. Order matters: what is intended is written first, under the lease's token; then the
// executor is asked, in a way that may be repeated; then the result is written. Killed anywhere in between, the next holder of the
// lease finds the intention and asks again.

import { type Attempt, type AttemptOutcome, jobKey, type RunState } from '@ironlaw/contracts'
import { type Diagnosis, drainDecision, type Observation, type RunAction } from '@ironlaw/policies/run'
import {
  applyUnderLease,
  drainNode,
  type JsonObject,
  type Lease,
  type NewEvent,
  nodesOf,
  recordDrainWithheld,
  type RunChange,
  strikeNode,
  suspicionsOf,
} from '@ironlaw/store'
import type { Refused } from '@ironlaw/executors'
import type { RunSpec } from '../run-spec.ts'
import { nextLook } from './next-look.ts'
import type { Ports } from './ports.ts'
import { jobOf } from './site.ts'

export type Carried =
  /** The run's lease was given back, or lost to another holder. */
  | { readonly kind: 'done' }
  /** Nothing to write: the lease is to be given back until then. */
  | { readonly kind: 'idle'; readonly next_look_at: number }
  /** The current attempt is over; decide again at once. */
  | { readonly kind: 'again'; readonly attempts: readonly Attempt[] }

type Held = { readonly ports: Ports; readonly lease: Lease; readonly spec: RunSpec; readonly seen: Observation }

/** Until the executor is asked again after it could not be reached. */
const RETRY_S = 1

export function carryOut(held: Held, action: RunAction): Promise<Carried> {
  switch (action.do) {
    case 'watch':
      return watched(held, action)
    case 'submit': {
      const { number, nodes, excluded, resumeBefore } = action
      const attempt: Attempt = {
        number,
        state: 'submitting',
        nodes,
        excluded,
        submittedAt: held.seen.now,
        ...(resumeBefore !== undefined && { resumeBefore }),
      }
      return submitted(held, attempt, 'created')
    }
    case 'submit-again':
      return submitted(held, action.attempt, 'repeated')
    case 'abandon':
      return abandoned(held, action.diagnosis)
    case 'cancel-job':
      return cancelling(held, action.why)
    case 'end':
      return ended(held, action)
  }
}

const told = (held: Held, kind: string, body: JsonObject): NewEvent => ({ kind, actor: 'reconciler', at: held.ports.now(), body })

function written({ ports, lease }: Held, change: Omit<RunChange, 'at'>): Promise<'applied' | 'stale'> {
  return applyUnderLease(ports.database, { run_id: lease.run.id, token: lease.token }, { at: ports.now(), ...change })
}

async function watched(held: Held, { state, why, forgive }: Extract<RunAction, { do: 'watch' }>): Promise<Carried> {
  const { lease, seen, ports } = held
  const next_look_at = nextLook(seen, state, ports.limits)
  const attempt = started(seen)
  const sameState = state === lease.run.state
  if (sameState && !attempt && forgive === undefined && why === (lease.run.wait_reason ?? '')) return { kind: 'idle', next_look_at }
  const { job } = seen
  await written(held, {
    state,
    wait_reason: why,
    next_look_at,
    ...(attempt && { attempts: [attempt] }),
    ...(forgive !== undefined && { forgiven: forgive }),
    events: [
      attempt && job.state === 'running'
        ? told(held, 'attempt-started', { attempt: attempt.number, nodes: job.nodes })
        : told(held, sameState ? 'run-waits' : `run-${state}`, {
            attempt: lease.run.attempt,
            ...(why && { why }),
            ...(forgive !== undefined && { forgiven: forgive }),
          }),
    ],
  })
  return { kind: 'done' }
}

/** The current attempt, when the executor shows it running for the first time. */
function started({ attempts, job, now }: Observation): Attempt | undefined {
  const attempt = attempts.at(-1)
  if (job.state !== 'running' || attempt?.state !== 'submitted') return undefined
  return { ...attempt, state: 'running', startedAt: now, placed: job.nodes }
}

async function submitted(held: Held, attempt: Attempt, how: 'created' | 'repeated'): Promise<Carried> {
  const { ports, lease, spec } = held
  const { id, program } = lease.run
  if (how === 'created') {
    const unseen = await ports.storage.probe?.()
    if (unseen)
      return watched(held, {
        do: 'watch',
        state: attempt.number === 1 ? 'queued' : 'recovering',
        why: `waiting for storage: ${unseen.away}`,
      })
    const { number, nodes, excluded } = attempt
    const intended = await written(held, {
      state: 'starting',
      attempt: number,
      wait_reason: 'submitting the job',
      attempts: [attempt],
      events: [told(held, 'attempt-created', { attempt: number, nodes, excluded })],
    })
    if (intended === 'stale') return { kind: 'done' }
  }
  const unseen = await ports.provideToken(id)
  if (unseen) return watched(held, { do: 'watch', state: 'starting', why: `waiting for storage: ${unseen.away}` })
  const answer = await ports.executor.submit(jobOf(ports.site, { run: id, program, spec, attempt }))
  if (answer.answer === 'unreachable') return { kind: 'idle', next_look_at: ports.now() + RETRY_S }
  if (answer.answer === 'refused') return ended(held, refused(answer), attempt)
  await written(held, {
    wait_reason: 'waiting for the executor to start the job',
    attempts: [{ ...attempt, state: 'submitted', job: answer.reference }],
    next_look_at: ports.now() + 0.3,
    events: [told(held, 'job-submitted', { attempt: attempt.number, job: answer.reference })],
  })
  return { kind: 'done' }
}

async function abandoned(held: Held, diagnosis: Diagnosis): Promise<Carried> {
  const { ports, lease, seen } = held
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
  const applied = await written(held, {
    state: 'recovering',
    wait_reason: `${cause}: ${detail}`,
    attempts: [over],
    events: [told(held, 'attempt-abandoned', { attempt: current.number, cause, detail, sources, suspects })],
  })
  if (applied === 'stale') return { kind: 'done' }
  await ports.executor.cancel(jobKey(lease.run.id, current.number))
  for (const name of suspects) await suspected(held, name, diagnosis)
  return { kind: 'again', attempts: [...seen.attempts.slice(0, -1), over] }
}

async function suspected(held: Held, name: string, { cause, detail, confirmed = [] }: Diagnosis): Promise<void> {
  const { database, executor, cluster, now } = held.ports
  const node = { cluster, name }
  const suspicion = { run: held.lease.run.id, cause, detail, confirmed: confirmed.includes(name) }
  await strikeNode(database, node, told(held, 'node-suspected', suspicion))
  const drainedAt = (await nodesOf(database, cluster)).filter(({ state }) => state === 'drained').map(({ changed_at }) => changed_at)
  const fleet = held.seen.capacity?.length ?? 0
  const decision = drainDecision({ now: now(), suspicions: await suspicionsOf(database, node), fleet, drainedAt })
  if (decision.do === 'keep') return recordDrainWithheld(database, node, told(held, 'drain-withheld', { why: decision.why }))
  const reason = `ironlaw: ${cause} in ${held.lease.run.id}`
  const drained = await executor.drain(name, reason)
  // What the executor still uses is not drained, whatever we think of it; the next strike asks again.
  if (drained.answer !== 'done') return
  await drainNode(database, { ...node, reason }, told(held, 'node-drained', { reason }))
}

async function cancelling(held: Held, why: string): Promise<Carried> {
  const { ports, lease, seen } = held
  const next_look_at = nextLook(seen, 'cancelling', ports.limits)
  if (lease.run.state !== 'cancelling' || lease.run.wait_reason !== why) {
    const events = [told(held, 'run-cancelling', { attempt: lease.run.attempt, why })] as const
    const applied = await written(held, { state: 'cancelling', wait_reason: why, events: [...events] as [NewEvent] })
    if (applied === 'stale') return { kind: 'done' }
  }
  await ports.executor.cancel(jobKey(lease.run.id, lease.run.attempt))
  return { kind: 'idle', next_look_at }
}

const refused = ({ field, reason }: Refused): End => ({
  do: 'end',
  state: 'failed',
  outcome: { cause: 'refused', detail: `${field}: ${reason}` },
})

type End = { readonly do: 'end'; readonly state: Extract<RunState, 'succeeded' | 'failed' | 'cancelled'>; readonly outcome: AttemptOutcome }

async function ended(held: Held, { state, outcome }: End, attempt = held.seen.attempts.at(-1)): Promise<Carried> {
  const { ports, lease } = held
  const live = attempt && attempt.state !== 'ended' ? attempt : undefined
  // Before the state is final: afterwards nobody looks at this run again, and its job would run on.
  if (live && state === 'failed') {
    const { answer } = await ports.executor.cancel(jobKey(lease.run.id, live.number))
    if (answer === 'unreachable') return { kind: 'idle', next_look_at: ports.now() + RETRY_S }
  }
  await written(held, {
    state,
    wait_reason: null,
    verdict: outcome,
    ...(live && { attempts: [{ ...live, state: 'ended', endedAt: ports.now(), outcome }] }),
    events: [told(held, `run-${state}`, { attempt: lease.run.attempt, ...outcome })],
  })
  return { kind: 'done' }
}
