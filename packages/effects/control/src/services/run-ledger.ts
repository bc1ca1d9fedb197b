// The ledger of a run from what the store holds of it.

import type { Allocation, Attempt } from '@ironlaw/contracts'
import type { Ledger } from '@ironlaw/contracts/ledger'
import { account, type AttemptFact, type Predicted, type StepFact } from '@ironlaw/policies/ledger'
import {
  allocationsOf,
  attemptsOf,
  type Checkpoint,
  checkpointsOf,
  type Database,
  momentsOf,
  planOf,
  type Run,
  type StepPlace,
  stepsAfter,
} from '@ironlaw/store'
import * as z from 'zod'
import { specOfRun } from './run-view.ts'

export async function runLedger(database: Database, run: Run, now: number): Promise<Ledger> {
  const [allocations, attempts, checkpoints, moments, steps, plan] = await Promise.all([
    allocationsOf(database, [run.id]),
    attemptsOf(database, [run.id]),
    checkpointsOf(database, run.id),
    momentsByAttempt(database, run.id),
    stepsOf(database, run.id),
    planOf(database, run.plan_id),
  ])
  const { shape } = specOfRun(run)
  const predicted = plan && predictedBy(plan.body)
  const until = Math.max(run.created_at, run.ended_at ?? now)
  const idleNodes_s = idleNodeSeconds(allocations.get(run.id) ?? [], attempts.get(run.id) ?? [], until)
  const ledger = account({
    run: run.id,
    state: run.state,
    createdAt: run.created_at,
    until,
    nodes: shape.nodes,
    processesPerNode: shape.processesPerNode,
    attempts: (attempts.get(run.id) ?? []).map((attempt) => ({
      ...recorded(attempt),
      ...moments.get(attempt.number),
      ...saving(checkpoints, attempt.number),
      steps: steps.get(attempt.number) ?? [],
    })),
    ...(predicted && { predicted }),
  })
  return { ...ledger, idle_accelerator_s: idleNodes_s * shape.processesPerNode }
}

/** Nodes times seconds for which allocations held more than attempts used. */
function idleNodeSeconds(allocations: readonly Allocation[], attempts: readonly Attempt[], until: number): number {
  const lasted = (from: number | undefined, to = until): number => (from === undefined ? 0 : Math.max(0, Math.min(to, until) - from))
  const held = allocations.reduce((sum, { nodes, heldAt, endedAt }) => sum + nodes * lasted(heldAt, endedAt), 0)
  const used = attempts.reduce((sum, { nodes, startedAt, endedAt }) => sum + nodes * lasted(startedAt, endedAt), 0)
  return Math.max(0, held - used)
}

function recorded({ number, nodes, submittedAt, startedAt, endedAt, outcome }: Attempt): Omit<AttemptFact, 'steps'> {
  return {
    number,
    nodes,
    submittedAt,
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(outcome && { outcome }),
  }
}

function saving(checkpoints: readonly Checkpoint[], attempt: number): Pick<AttemptFact, 'restored' | 'saved'> {
  const own = checkpoints.filter(({ reported_in }) => reported_in === attempt)
  const restored = own.find(({ state }) => state === 'restored')
  const saved = own.findLast(({ state }) => state === 'committed')
  return { ...(restored && { restored: restored.step }), ...(saved && { saved: { step: saved.step, pause_s: saved.pause_s } }) }
}

type Moments = Pick<AttemptFact, 'attachedAt' | 'faultAt'>

async function momentsByAttempt(database: Database, run_id: string): Promise<ReadonlyMap<number, Moments>> {
  const moments = await momentsOf(database, run_id)
  return new Map(
    moments.map(({ attempt, attached_at, fault_at }) => [
      attempt,
      { ...(attached_at !== null && { attachedAt: attached_at }), ...(fault_at !== null && { faultAt: fault_at }) },
    ]),
  )
}

const BATCHES = 1000

/** In order, each step of an attempt once: another agent may tell of it again when it takes over from the head. */
async function stepsOf(database: Database, run_id: string): Promise<ReadonlyMap<number, readonly StepFact[]>> {
  const found = new Map<number, Map<number, StepFact>>()
  for (let after: StepPlace | undefined; ;) {
    const batches = await stepsAfter(database, run_id, { limit: BATCHES, ...(after && { after }) })
    for (const { attempt, rows } of batches) {
      const own = found.get(attempt) ?? new Map<number, StepFact>()
      found.set(attempt, own)
      for (const row of rows) if (!own.has(row.step)) own.set(row.step, row)
    }
    after = batches.at(-1)
    if (batches.length < BATCHES) break
  }
  return new Map([...found].map(([attempt, steps]) => [attempt, [...steps.values()].toSorted((a, b) => a.step - b.step)]))
}

const time = z.number().nonnegative()
const PLAN = z.object({
  fleet: z.object({ devices: z.int().positive() }).optional(),
  prediction: z.object({
    step_s: z.number().positive(),
    causes_s: z.record(z.string(), time).optional(),
    mfu: time.optional(),
    duration_s: time.optional(),
    cost_usd: time.optional(),
    energy_j: time.optional(),
    carbon_g: time.optional(),
  }),
})

/** Plans are kept as they came; of one that predicts otherwise the ledger shows what was measured. */
function predictedBy(body: object): Predicted | undefined {
  const read = PLAN.safeParse(body)
  return read.success ? { ...read.data.prediction, devices: read.data.fleet?.devices } : undefined
}
