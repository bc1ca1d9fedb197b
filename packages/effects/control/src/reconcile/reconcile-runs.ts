// One round over the runs that are due: lease, look, decide, carry out. One run's failure does not stop the round; its lease runs
// out or is given back, and the next round is the retry.

import { setTimeout as pause } from 'node:timers/promises'
import { type Allocation, isTerminal, type Sighting } from '@ironlaw/contracts'
import { decideRun, type Observation, type Outage, outageOf } from '@ironlaw/policies/run'
import {
  agentsOf,
  allocationsOf,
  attemptsOf,
  endingsSince,
  giveBack,
  type Lease,
  leaseDue,
  liveRunCounts,
  readingsOf,
  recentSteps,
  recentStepsOf,
  recordReport,
  type Run,
  type StoredBodies,
  type Vitals,
  vitalsOf,
} from '@ironlaw/store'
import { specOfRun } from '../runs/run-spec.ts'
import { carryOut } from './carry-out.ts'
import { recordDisbelief } from './disbelief.ts'
import { updateAllocations, releaseUnneeded } from './keep-allocations.ts'
import { LEASE_S, NOTHING_DUE, RETRY_S, type Round, workThrough } from '../rounds/rounds.ts'
import { blindLook, type FleetLook, lookAtFleet } from './look.ts'
import { type ObservationInputs, observation } from './observation.ts'
import type { ReconcilePorts } from './ports.ts'
import { releaseNodes } from './release-nodes.ts'

export const BATCH = 256
/** A job that is missing from one listing while its agents speak has not vanished; at work they speak every 15 s or so. */
const HEARD_S = 30
/** Abandon, begin, place: one follows another in the same round, so that recovery does not wait for the next. */
const DECISIONS = 4
const STEPS_JUDGED = 64
/** Rows that were read longer ago are read again before anything is decided by them. */
const STALE_MS = 250

const byRun = (a: Lease, b: Lease): number => (a.run.id < b.run.id ? -1 : 1)

type ReturnedLease = { readonly run_id: string; readonly token: number; readonly next_look_at: number }

export async function reconcileRuns(ports: ReconcilePorts): Promise<Round> {
  const { database, executor, holder, now } = ports
  await releaseNodes(ports)
  // The same rows make the same round, in whatever order the database finds them.
  const leases = (await leaseDue(database, { holder, at: now(), lease_s: LEASE_S, limit: BATCH })).toSorted(byRun)
  if (leases.length === 0) return NOTHING_DUE
  const ids = leases.map(({ run }) => run.id)
  const allocations = await allocationsOf(database, ids)
  const held = ids.flatMap((run) => allocations.readable(run).map((allocation) => ({ run, allocation })))
  const shown = lookAtFleet(executor, held)
  const failed: Round['failed'][number][] = []
  let waiting: readonly Lease[] = leases
  while (waiting.length > 0) {
    const asked = performance.now()
    const [seen, rows] = await Promise.all([resultWithin(ports.patience_ms, shown), load(ports, waiting)])
    // What was loaded before a long wait is no longer so: ranks may have died meanwhile.
    const loaded = performance.now() - asked < STALE_MS ? rows : await load(ports, waiting)
    const due = seen ? waiting : waiting.filter(({ run }) => loaded.isUrgent(run.id))
    failed.push(...(await reconcileLeases(ports, due, { rowsOf: loaded.rowsOf, allocations, look: seen ?? blindLook(executor) })))
    waiting = waiting.filter((lease) => !due.includes(lease))
  }
  return { due: leases.length, failed }
}

/** Nothing when it takes longer. */
async function resultWithin<Result>(milliseconds: number, result: Promise<Result>): Promise<Result | undefined> {
  const patience = new AbortController()
  try {
    return await Promise.race([result, pause(milliseconds, undefined, patience)])
  } finally {
    patience.abort()
  }
}

type RunRows = Pick<ObservationInputs, 'attempts' | 'vitals' | 'steps' | 'agents' | 'readings' | 'outage'>

type LoadedRows = { readonly rowsOf: (run: string) => RunRows; readonly isUrgent: (run: string) => boolean }

async function load(ports: ReconcilePorts, leases: readonly Lease[]): Promise<LoadedRows> {
  const { database } = ports
  const ids = leases.map(({ run }) => run.id)
  const [attempts, vitals, agents] = await Promise.all([attemptsOf(database, ids), vitalsOf(database, ids), agentsOf(database, ids)])
  const stepping = ids.filter((id) => vitals.get(id)?.some((each) => each.last_step !== null))
  const steps = await recentStepsOf(database, { run_ids: stepping, batches: STEPS_JUDGED })
  const outage = leases.some(({ run }) => run.state === 'recovering') ? await outageNow(ports) : undefined
  const isChecking = ids.some((id) => attempts.readable(id).at(-1)?.check)
  const readings = isChecking ? await readingsOf(database, ports.cluster) : undefined
  const rowsOf = (id: string): RunRows => ({
    attempts: attempts.get(id),
    vitals: vitals.get(id) ?? [],
    steps: steps.get(id) ?? [],
    agents: agents.get(id) ?? [],
    ...(readings && { readings }),
    ...(outage && { outage }),
  })
  return { rowsOf, isUrgent: (id) => isUrgent({ attempts: attempts.readable(id), vitals: vitals.get(id) ?? [] }) }
}

/** Ranks have failed, or an attempt that did is to be followed by another: what its agents say decides, whatever the executor knows. */
function isUrgent({ attempts, vitals }: Pick<RunRows, 'attempts' | 'vitals'>): boolean {
  const last = attempts.at(-1)
  return (
    vitals.some(({ exits }) => exits.some(isFailure)) || (attempts.length > 1 && last?.state === 'submitted') || last?.state === 'ended'
  )
}

const isFailure = ({ code, signal }: Vitals['exits'][number]): boolean => code !== 0 || signal !== null

type RoundInputs = {
  readonly rowsOf: (run: string) => RunRows
  readonly allocations: StoredBodies<Allocation>
  readonly look: FleetLook
}

async function reconcileLeases(ports: ReconcilePorts, leases: readonly Lease[], known: RoundInputs): Promise<Round['failed']> {
  const idle: ReturnedLease[] = []
  const giveBackAt = ({ run, token }: Lease, next_look_at: number) => void idle.push({ run_id: run.id, token, next_look_at })
  const { failed } = await workThrough(leases, {
    name: ({ run }) => `run ${run.id}`,
    work: async (lease) => {
      const { id } = lease.run
      const loaded = { ...known.rowsOf(id), allocations: known.allocations.get(id), look: known.look }
      const next_look_at = await reconcileRun(ports, lease, loaded)
      if (next_look_at !== undefined) giveBackAt(lease, next_look_at)
    },
    postpone: (lease) => giveBackAt(lease, ports.now() + RETRY_S),
  })
  await giveBack(ports.database, idle)
  return failed
}

/** Whether many runs fail alike; looked up only when one of the round has failed. */
async function outageNow({ database, limits, now: clock }: ReconcilePorts): Promise<Outage | undefined> {
  const now = clock()
  const ends = await endingsSince(database, now - limits.outageWindow_s)
  if (ends.length < limits.outageRuns) return undefined
  const live = await liveRunCounts(database)
  const active = [...live].reduce((sum, [state, count]) => (state === 'queued' ? sum : sum + count), 0)
  return outageOf({ now, ends, active }, limits)
}

type LoadedRun = RunRows & Pick<ObservationInputs, 'allocations'> & { readonly look: FleetLook }

/** When to look again, unless that was already written. */
async function reconcileRun(
  ports: ReconcilePorts,
  lease: Lease,
  { look: { job, capacity }, ...loaded }: LoadedRun,
): Promise<number | undefined> {
  const { run } = lease
  if (isTerminal(run.state)) return undefined
  const held = { ports, lease, spec: specOfRun(run) }
  const jobOf = (allocation: number): Sighting => {
    const shown = job(run.id, allocation)
    const isHeard = loaded.agents.some((agent) => agent.allocation === allocation && ports.now() - agent.heard_at <= HEARD_S)
    return shown.state === 'absent' && isHeard
      ? { state: 'unreachable', reason: 'the executor does not show it, its agents report' }
      : shown
  }
  const allocations = await updateAllocations(held, loaded.allocations, jobOf)
  if (allocations === 'stale') return undefined
  const { accelerators } = ports.site
  const around = { ...(capacity && { capacity }), ...(accelerators && { accelerators }) }
  const facts = { ...loaded, now: ports.now(), run, spec: held.spec, allocations, job: jobOf, ...around }
  const first = observation(facts)
  let seen = isOver(first) ? observation({ ...facts, ...(await recoverSpool(ports, run)) }) : first
  seen = await recordDisbelief(ports, lease, seen)
  await releaseUnneeded({ ...held, seen })
  for (let decisions = 0; decisions < DECISIONS; decisions += 1) {
    const carried = await carryOut({ ...held, seen }, decideRun(seen, ports.limits))
    if (carried.kind === 'done') return undefined
    if (carried.kind === 'idle') return carried.next_look_at
    seen = carried.seen
  }
  return ports.now()
}

/** Its nodes are gone, or every rank ended and none failed: storage may hold what it could not tell us. */
function isOver({ attempts, job, exits, nodes }: Observation): boolean {
  if (attempts.length === 0) return false
  const ranks = nodes.flatMap((node) => node.ranks)
  const isEveryRank = exits.length > 0 && ranks.every(({ rank }) => exits.some((exit) => exit.rank === rank && exit.code !== null))
  return isEveryRank || ['ending', 'ended', 'absent'].includes(job.state)
}

type SpooledFacts = Partial<Pick<ObservationInputs, 'vitals' | 'steps' | 'completion' | 'storageAway'>>

/** What an attempt that is over could not tell us while we were away. */
async function recoverSpool({ database, storage, now, redaction }: ReconcilePorts, { id, attempt, project }: Run): Promise<SpooledFacts> {
  const [spooled, record] = await Promise.all([storage.spooled(id, attempt), storage.completion(id)])
  const reports = 'away' in spooled ? [] : spooled
  const completion = record && 'away' in record ? undefined : record
  const away = 'away' in spooled ? spooled.away : record && 'away' in record ? record.away : undefined
  const found = { ...(completion && { completion }), ...(away !== undefined && { storageAway: away }) }
  for (const each of reports) {
    const report = redaction ? await redaction.report(project, each) : each
    await recordReport(database, { run_id: id, attempt, received_at: now(), report })
  }
  if (reports.length === 0) return found
  const vitals = (await vitalsOf(database, [id])).get(id) ?? []
  // They may bring further steps than those loaded with the round.
  const steps = await recentSteps(database, { run_id: id, attempt, batches: STEPS_JUDGED })
  return { vitals, steps, ...found }
}
