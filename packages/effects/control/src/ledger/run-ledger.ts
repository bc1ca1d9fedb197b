// The ledger of a run from what the store holds of it.

import type { Allocation, Attempt } from '@ironlaw/contracts'
import type { Ledger } from '@ironlaw/contracts/ledger'
import { REPORTED_STRATEGY, type ReportedStrategy } from '@ironlaw/contracts/running'
import { TRAINING_PLAN } from '@ironlaw/contracts/training-plan'
import { ledgerFromBooks, type AttemptFact, type RunPrediction, RunBooks, type RunFacts } from '@ironlaw/policies/ledger'
import {
  allocationsOf,
  attemptsOf,
  type Checkpoint,
  checkpointsOf,
  type Database,
  firstStepsOf,
  momentsOf,
  planOf,
  type Run,
  type StepPosition,
  stepsAfter,
  strategiesOf,
} from '@ironlaw/store'
import { type RunSpec, specOfRun } from '../runs/run-spec.ts'

export async function runLedger(database: Database, run: Run, now: number): Promise<Ledger> {
  const [allocations, attempts, checkpoints, moments, firstSteps, strategies, plan] = await Promise.all([
    allocationsOf(database, [run.id]),
    attemptsOf(database, [run.id]),
    checkpointsOf(database, run.id),
    momentsByAttempt(database, run.id),
    firstStepsOf(database, run.id),
    strategiesByAttempt(database, run.id),
    planOf(database, run.plan_id),
  ])
  const spec = specOfRun(run)
  const { shape } = spec
  const predicted = plan && planPrediction(plan.body, spec)
  const planned = plan && plannedStrategy(plan.body)
  const until = Math.max(run.created_at, run.ended_at ?? now)
  const idleNodes_s = idleNodeSeconds(allocations.get(run.id), attempts.get(run.id), until)
  const facts: RunFacts = {
    run: run.id,
    state: run.state,
    createdAt: run.created_at,
    until,
    nodes: shape.nodes,
    processesPerNode: shape.processesPerNode,
    attempts: attempts.get(run.id).map((attempt) => ({
      ...attemptFact(attempt),
      ...moments.get(attempt.number),
      ...checkpointFields(checkpoints, attempt.number),
      ...firstStepFields(firstSteps.get(attempt.number)),
      ...runningFields(strategies.get(attempt.number)),
    })),
    ...(predicted && { predicted }),
    ...(planned && { planned }),
  }
  const books = new RunBooks(facts)
  await bookSteps(database, run.id, books)
  const ledger = ledgerFromBooks(facts, books.close())
  return { ...ledger, idle_accelerator_s: idleNodes_s * shape.processesPerNode }
}

const runningFields = (running: ReportedStrategy | undefined): Pick<AttemptFact, 'running'> => (running ? { running } : {})

const firstStepFields = (firstStep: number | undefined): Pick<AttemptFact, 'firstStep'> => (firstStep === undefined ? {} : { firstStep })

/** Nodes times seconds for which allocations held more than attempts used. */
function idleNodeSeconds(allocations: readonly Allocation[], attempts: readonly Attempt[], until: number): number {
  const elapsedSeconds = (from: number | undefined, to = until): number =>
    from === undefined ? 0 : Math.max(0, Math.min(to, until) - from)
  const held = allocations.reduce((sum, { nodes, heldAt, endedAt }) => sum + nodes * elapsedSeconds(heldAt, endedAt), 0)
  const used = attempts.reduce((sum, { nodes, startedAt, endedAt }) => sum + nodes * elapsedSeconds(startedAt, endedAt), 0)
  return Math.max(0, held - used)
}

function attemptFact({ number, nodes, check, submittedAt, startedAt, endedAt, outcome }: Attempt): AttemptFact {
  return {
    number,
    nodes,
    ...(check && { check }),
    submittedAt,
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(outcome && { outcome }),
  }
}

function checkpointFields(checkpoints: readonly Checkpoint[], attempt: number): Pick<AttemptFact, 'restored' | 'saved'> {
  const own = checkpoints.filter(({ reported_in }) => reported_in === attempt)
  const restored = own.find(({ state }) => state === 'restored')
  const saved = own.findLast(({ state }) => state === 'committed')
  return { ...(restored && { restored: restored.step }), ...(saved && { saved: { step: saved.step, pause_s: saved.pause_s } }) }
}

/** Ranks may each know a part; what came later counts. */
async function strategiesByAttempt(database: Database, run_id: string): Promise<ReadonlyMap<number, ReportedStrategy>> {
  const found = new Map<number, ReportedStrategy>()
  for (const { attempt, detail } of await strategiesOf(database, run_id)) {
    const read = REPORTED_STRATEGY.safeParse(detail)
    if (read.success) found.set(attempt, { ...found.get(attempt), ...read.data })
  }
  return found
}

type Moments = Pick<AttemptFact, 'ranksAt' | 'attachedAt' | 'faultAt'>

async function momentsByAttempt(database: Database, run_id: string): Promise<ReadonlyMap<number, Moments>> {
  const moments = await momentsOf(database, run_id)
  return new Map(
    moments.map(({ attempt, ranks_at, attached_at, fault_at }) => [
      attempt,
      {
        ...(ranks_at !== null && { ranksAt: ranks_at }),
        ...(attached_at !== null && { attachedAt: attached_at }),
        ...(fault_at !== null && { faultAt: fault_at }),
      },
    ]),
  )
}

/** A batch is what one report held: a step or 10,000 of them. */
const PAGE = { least: 1, first: 16, most: 1024, rows: 10_000 } as const

/** Page by page, so that a run of millions of steps neither fills memory nor holds up everything else. */
async function bookSteps(database: Database, run_id: string, books: RunBooks): Promise<void> {
  let limit: number = PAGE.first
  for (let after: StepPosition | undefined; ;) {
    const batches = await stepsAfter(database, run_id, { limit, ...(after && { after }) })
    for (const { attempt, rows } of batches) for (const row of rows) books.add(attempt, row)
    after = batches.at(-1)
    if (batches.length < limit) return
    const rows = batches.reduce((sum, batch) => sum + batch.rows.length, 0)
    limit = Math.min(PAGE.most, Math.max(PAGE.least, Math.floor((limit * PAGE.rows) / Math.max(1, rows))))
  }
}

/** Of a plan that an older release took unchecked the ledger shows what was measured. */
function planPrediction(body: object, { steps, expected_losses_s }: RunSpec): RunPrediction | undefined {
  const { data: plan } = TRAINING_PLAN.safeParse(body)
  const losses = steps !== undefined && expected_losses_s && { losses: { steps, seconds: expected_losses_s } }
  return plan && { ...plan.prediction, devices: plan.fleet.devices, ...losses }
}

function plannedStrategy(body: object): ReportedStrategy | undefined {
  const { data: plan } = TRAINING_PLAN.safeParse(body)
  return plan && REPORTED_STRATEGY.parse({ ...plan.decision, sequence: plan.sequence, globalBatch: plan.globalBatch })
}
