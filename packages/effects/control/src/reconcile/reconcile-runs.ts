// One round over the runs that are due: lease, look, decide, carry out. One run's failure does not stop the round; its lease runs
// out or is given back, and the next round is the retry.

import { setImmediate } from 'node:timers/promises'
import { type Attempt, isTerminal, jobKey } from '@ironlaw/contracts'
import { decideRun, type Observation, type Outage, outageOf } from '@ironlaw/policies/run'
import {
  attemptsOf,
  endingsSince,
  giveBack,
  type Lease,
  leaseDue,
  liveRunCounts,
  recentSteps,
  recentStepsOf,
  recordReport,
  type Run,
  type Vitals,
  vitalsOf,
} from '@ironlaw/store'
import { specOfRun } from '../services/run-view.ts'
import { carryOut } from './carry-out.ts'
import { recordDisbelief } from './disbelief.ts'
import { type Look, look, reasonOf } from './look.ts'
import { observed } from './observed.ts'
import type { Ports } from './ports.ts'

export type Round = { readonly leased: number; readonly failed: readonly { readonly run: string; readonly reason: string }[] }

export const BATCH = 256
/** So many are decided about before others get their turn: most need no effect, and a process has one thread. */
const TURN = 8
const LEASE_S = 30
/** After an effect failed: the executor or the disk was not there. */
const RETRY_S = 1
/** An attempt that is abandoned is followed by another decision in the same round, so that recovery does not wait for the next. */
const DECISIONS = 3
const STEPS_JUDGED = 64

const byRun = (a: Lease, b: Lease): number => (a.run.id < b.run.id ? -1 : 1)

type Given = { readonly run_id: string; readonly token: number; readonly next_look_at: number }

export async function reconcileRuns(ports: Ports): Promise<Round> {
  const { database, executor, holder, now } = ports
  // The same rows make the same round, in whatever order the database finds them.
  const leases = (await leaseDue(database, { holder, at: now(), lease_s: LEASE_S, limit: BATCH })).toSorted(byRun)
  if (leases.length === 0) return { leased: 0, failed: [] }
  const ids = leases.map(({ run }) => run.id)
  const [seen, attempts, vitals] = await Promise.all([look(executor, leases), attemptsOf(database, ids), vitalsOf(database, ids)])
  const stepping = ids.filter((id) => vitals.get(id)?.some((each) => each.last_step !== null))
  const steps = await recentStepsOf(database, { run_ids: stepping, batches: STEPS_JUDGED })
  const outage = leases.some(({ run }) => run.state === 'recovering') ? await outageNow(ports) : undefined
  const failed: { run: string; reason: string }[] = []
  const idle: Given[] = []
  for (const [index, lease] of leases.entries()) {
    if (index % TURN === TURN - 1) await setImmediate()
    const { run, token } = lease
    const loaded = { attempts: attempts.get(run.id) ?? [], vitals: vitals.get(run.id) ?? [], steps: steps.get(run.id) ?? [] }
    try {
      const next_look_at = await reconcileRun(ports, lease, { ...loaded, look: seen, ...(outage && { outage }) })
      if (next_look_at !== undefined) idle.push({ run_id: run.id, token, next_look_at })
    } catch (cause) {
      failed.push({ run: run.id, reason: reasonOf(cause) })
      idle.push({ run_id: run.id, token, next_look_at: now() + RETRY_S })
    }
  }
  await giveBack(database, idle)
  return { leased: leases.length, failed }
}

/** Whether many runs fail alike; looked up only when one of the round has failed. */
async function outageNow({ database, limits, now: clock }: Ports): Promise<Outage | undefined> {
  const now = clock()
  const ends = await endingsSince(database, now - limits.outageWindow_s)
  if (ends.length < limits.outageRuns) return undefined
  const live = await liveRunCounts(database)
  const active = [...live].reduce((sum, [state, count]) => (state === 'queued' ? sum : sum + count), 0)
  return outageOf({ now, ends, active }, limits)
}

type Loaded = Pick<Parameters<typeof observed>[0], 'attempts' | 'vitals' | 'steps' | 'outage'> & { readonly look: Look }

/** When to look again, unless that was already written. */
async function reconcileRun(
  ports: Ports,
  lease: Lease,
  { attempts, look: { job, capacity }, outage, ...loaded }: Loaded,
): Promise<number | undefined> {
  const { run } = lease
  if (isTerminal(run.state)) return undefined
  const spec = specOfRun(run)
  const sighting = job(run.id, run.attempt)
  const isOver = run.attempt > 0 && ['ending', 'ended', 'absent'].includes(sighting.state)
  const left = isOver ? await leftBehind(ports, run) : undefined
  const vitals = left?.vitals ?? loaded.vitals
  // Reports that were left behind may bring further steps than those loaded with the round.
  const steps = left?.vitals
    ? await recentSteps(ports.database, { run_id: run.id, attempt: run.attempt, batches: STEPS_JUDGED })
    : loaded.steps
  await sweep(ports, attempts, { run: run.id, job })
  let seen: Observation = observed({
    now: ports.now(),
    run,
    spec,
    attempts,
    vitals,
    steps,
    job: sighting,
    ...(capacity && { capacity }),
    ...(left?.completion && { completion: left.completion }),
    ...(outage && { outage }),
    ...(left?.away !== undefined && { storageAway: left.away }),
  })
  seen = await recordDisbelief(ports, lease, seen)
  for (let decisions = 0; decisions < DECISIONS; decisions += 1) {
    const carried = await carryOut({ ports, lease, spec, seen }, decideRun(seen, ports.limits))
    if (carried.kind === 'done') return undefined
    if (carried.kind === 'idle') return carried.next_look_at
    seen = withoutAttempt(seen, carried.attempts, ports.now())
  }
  return ports.now()
}

/** The current attempt was given up: what its ranks said no longer counts. */
const withoutAttempt = (seen: Observation, attempts: Observation['attempts'], now: number): Observation => ({
  ...seen,
  now,
  attempts,
  state: 'recovering',
  nodes: [],
  exits: [],
  verdicts: [],
})

type LeftBehind = {
  readonly vitals?: readonly Vitals[]
  readonly completion?: { readonly step: number }
  /** Why it is not known whether there is more. */
  readonly away?: string
}

/** What a job that is over could not tell us while we were away. */
async function leftBehind({ database, storage, now }: Ports, { id, attempt }: Run): Promise<LeftBehind> {
  const [spooled, record] = await Promise.all([storage.spooled(id, attempt), storage.completion(id)])
  const reports = 'away' in spooled ? [] : spooled
  const completion = record && 'away' in record ? undefined : record
  const away = 'away' in spooled ? spooled.away : record && 'away' in record ? record.away : undefined
  for (const report of reports) await recordReport(database, { run_id: id, attempt, received_at: now(), report })
  const told = reports.length === 0 ? undefined : (await vitalsOf(database, [id])).get(id)
  return { ...(told && { vitals: told }), ...(completion && { completion }), ...(away !== undefined && { away }) }
}

/** Ends jobs of attempts that are over: a cancellation was lost, or the executor could not be reached then. */
async function sweep(
  { executor }: Ports,
  attempts: readonly Attempt[],
  { run, job }: { readonly run: string; readonly job: Look['job'] },
): Promise<void> {
  for (const { number } of attempts.slice(-2).filter(({ state }) => state === 'ended')) {
    const { state } = job(run, number)
    if (state === 'running' || state === 'pending') await executor.cancel(jobKey(run, number))
  }
}
