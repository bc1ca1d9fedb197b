// What must hold at the end of a history: in the event log, in the tables, in the executor's own record and on the runs' storage.

import { isTerminal, type Attempt } from '@ironlaw/contracts'
import type { Ledger } from '@ironlaw/contracts/ledger'
import {
  attemptsOf,
  type Checkpoint,
  checkpointsOf,
  type Event,
  nodesOf,
  nodeStream,
  type Run,
  runStream,
  type StepBatch,
  stepsAfter,
  verifyChain,
} from '@ironlaw/store'
import { runLedger } from '../../packages/effects/control/src/ledger/run-ledger.ts'
import { logFaults } from './event-log.ts'
import type { RunDirectory } from './run-directory.ts'
import type { World } from './world.ts'

/** Sentences that say what is broken; none when all is well. */
export async function violations(world: World): Promise<string[]> {
  const { database, runs: ids, cluster } = world
  const streams = [...ids.map(runStream), ...(await nodesOf(database, cluster)).map(nodeStream)]
  const forged: string[] = []
  for (const stream of streams) if (!(await verifyChain(database, stream)).intact) forged.push(`the audit trail of ${stream} is not intact`)
  const runs = await database.selectFrom('runs').selectAll().where('id', 'in', ids).orderBy('id').execute()
  const events = await database
    .selectFrom('events')
    .selectAll()
    .where('stream', 'in', ids.map(runStream))
    .orderBy('stream')
    .orderBy('sequence')
    .execute()
  const attempts = await attemptsOf(database, ids)
  const lost = ids.filter((id) => !runs.some((run) => run.id === id)).map((id) => `${id} is lost`)
  const found: string[] = []
  for (const run of runs) {
    const record = {
      ...(world.plan.slow !== undefined && { slow: world.plan.slow }),
      run,
      events: events.filter(({ stream }) => stream === runStream(run.id)),
      attempts: attempts.get(run.id),
      steps: await stepsAfter(database, run.id, { limit: 1000 }),
      checkpoints: await checkpointsOf(database, run.id),
      ledger: await runLedger(database, run, world.timeline.now),
      directory: world.jobs.directories.get(run.id),
    }
    found.push(...runFaults(record).map((fault) => `${run.id}: ${fault}`))
  }
  return [...lost, ...forged, ...found, ...jobFaults(world), ...allocationFaults(world, runs)]
}

type Record = {
  readonly slow?: string
  readonly run: Run
  readonly events: readonly Event[]
  readonly attempts: readonly Attempt[]
  readonly steps: readonly StepBatch[]
  readonly checkpoints: readonly Checkpoint[]
  readonly ledger: Ledger
  readonly directory: RunDirectory | undefined
}

const runFaults = (record: Record): string[] => [
  ...logFaults(record.events),
  ...endFaults(record),
  ...attemptFaults(record),
  ...progressFaults(record),
  ...checkFaults(record),
  ...ledgerFaults(record),
]

/** Every run ends, once, as its last word says, and as what was asked and done allows. */
function endFaults({ run, events, attempts, directory }: Record): string[] {
  if (!isTerminal(run.state)) return [`has not ended: ${run.state}, ${run.wait_reason}`]
  const ends = events.filter(({ kind }) => ['run-succeeded', 'run-failed', 'run-cancelled'].includes(kind))
  const asked = events.some(({ kind }) => kind === 'cancel-asked')
  return [
    ...(ends.length === 1 && ends[0]?.kind === `run-${run.state}`
      ? []
      : [`is ${run.state}, told: ${ends.map(({ kind }) => kind).join(', ')}`]),
    ...(ends[0]?.at === run.ended_at ? [] : [`ended at ${run.ended_at}, told at ${ends[0]?.at}`]),
    ...(run.state === 'succeeded' && !directory?.completed ? ['succeeded without having finished'] : []),
    ...(run.state === 'failed' && directory?.completed ? [`failed (${run.verdict?.cause}) although it had finished`] : []),
    ...(run.state === 'cancelled' && !asked ? ['was cancelled, which nobody asked'] : []),
    ...(run.verdict?.cause === 'no-progress' && attempts.length < 3 ? [`was given up after ${attempts.length} attempts`] : []),
  ]
}

function attemptFaults({ run, attempts }: Record): string[] {
  const numbers = attempts.map(({ number }) => number)
  const open = attempts.filter(({ state }) => state !== 'ended').map(({ number }) => number)
  return [
    ...(numbers.every((number, index) => number === index + 1) ? [] : [`attempts ${numbers.join(' ')}`]),
    ...(run.attempt === attempts.length ? [] : [`is at attempt ${run.attempt} of ${attempts.length}`]),
    ...(isTerminal(run.state) && open.length > 0 ? [`ended with attempts ${open.join(' ')} open`] : []),
  ]
}

/** What a check has passed trains on no node that it would have found slow. */
function checkFaults({ attempts, slow }: Record): string[] {
  const at = attempts.findIndex(({ check }) => !check)
  const [check, first] = [attempts[at - 1], attempts[at]]
  const hasPassed = check?.outcome?.detail.endsWith('as fast as the fleet') && (check.placed?.length ?? 0) > 2
  return slow !== undefined && hasPassed && check?.placed?.includes(slow) && first?.placed?.includes(slow)
    ? [`${slow} is slow, and was passed by the check of attempt ${check.number}`]
    : []
}

/** Steps and checkpoints of an attempt only rise, each attempt goes on from what was saved, and no saved step is one that storage lacks. */
function progressFaults({ steps, checkpoints, directory }: Record): string[] {
  const faults: string[] = []
  const rows = steps.flatMap(({ attempt, rows: batch }) => batch.map(({ step }) => ({ attempt, step })))
  for (const [index, { attempt, step }] of rows.entries()) {
    const before = rows[index - 1]
    if (before?.attempt === attempt && step <= before.step) faults.push(`attempt ${attempt} made step ${step} after ${before.step}`)
  }
  for (const { state, attempt, step, reported_in } of checkpoints) {
    if (!directory?.commits.some((commit) => commit.attempt === attempt && commit.step === step))
      faults.push(`step ${step} of attempt ${attempt} is ${state}, storage has no such checkpoint`)
    if (state === 'restored' && attempt >= reported_in) faults.push(`attempt ${reported_in} restored a checkpoint of attempt ${attempt}`)
  }
  const commits = directory?.commits ?? []
  for (const [index, commit] of commits.entries())
    if (commit.attempt < (commits[index - 1]?.attempt ?? 0)) faults.push(`attempt ${commit.attempt} saved after a later one had`)
  return faults
}

/** A run that goes on afterwards never gives back a node that it could have used. */
function allocationFaults({ givenBack }: World, runs: readonly Run[]): string[] {
  return givenBack.flatMap(({ run, key, attempt, nodes }) => {
    const goesOn = (runs.find(({ id }) => id === run)?.attempt ?? 0) > attempt
    return goesOn ? [`${run} gave back ${nodes.join(', ')} of ${key} in attempt ${attempt} and went on`] : []
  })
}

/** Books are kept in microseconds; their sum is a float. */
const ROUNDING_S = 1e-6

function ledgerFaults({ run, ledger }: Record): string[] {
  const booked = ledger.causes.reduce((sum, { accelerator_s }) => sum + accelerator_s, 0)
  const whole = ledger.wall_s * ledger.accelerators
  const negative = ledger.causes.filter(({ accelerator_s }) => accelerator_s < 0).map(({ cause }) => cause)
  const wall = Math.max(0, (run.ended_at ?? ledger.to_at) - run.created_at)
  return [
    ...(Math.abs(booked - whole) <= ROUNDING_S * Math.max(1, whole) ? [] : [`the ledger books ${booked} of ${whole} s`]),
    ...(Math.abs(ledger.wall_s - wall) <= ROUNDING_S ? [] : [`the ledger is of ${ledger.wall_s} s, the run took ${wall}`]),
    ...negative.map((cause) => `the ledger books less than nothing under ${cause}`),
  ]
}

/** At most one job for each allocation, ever, and none left behind. */
function jobFaults({ fleet, jobs }: World): string[] {
  const left = [...fleet.jobs()].filter(([, { state }]) => state !== 'ended').map(([key, { state }]) => `${key} is ${state} at the end`)
  const submitted = Map.groupBy(jobs.specs.values(), ({ env }) => `${env['IRONLAW_ALLOCATION']} of ${env['IRONLAW_RUN']}`)
  const taken = fleet.jobs()
  const doubled = [...submitted].flatMap(([allocation, specs]) => {
    const count = specs.filter(({ key }) => taken.has(key)).length
    return count > 1 ? [`allocation ${allocation} has ${count} jobs`] : []
  })
  return [...left, ...doubled]
}
