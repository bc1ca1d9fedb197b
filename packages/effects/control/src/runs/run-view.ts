// Runs and what belongs to them as the API shows them. Values of a program's environment never come past here, only their names.

import { type Attempt, IronlawError, type RunShape } from '@ironlaw/contracts'
import type { AttemptView, RunView } from '@ironlaw/contracts/api'
import { attemptsOf, checkpointsOf, type Database, type Pace, pacesOf, type Run, runOf, type Vitals, vitalsOf } from '@ironlaw/store'
import { withProgress } from './attempt-progress.ts'
import { specOfRun } from './run-spec.ts'

/** Enough to see how long a step takes now, when each report brings one or two. */
const RECENT_BATCHES = 8

export async function runViews(database: Database, runs: readonly Run[]): Promise<RunView[]> {
  const run_ids = runs.map(({ id }) => id)
  const [vitals, paces] = await Promise.all([vitalsOf(database, run_ids), pacesOf(database, { run_ids, batches: RECENT_BATCHES })])
  return runs.map((run) => ({ ...runView(run, vitals.get(run.id) ?? []), ...paceView(paces.get(run.id)) }))
}

const paceView = (pace: Pace | undefined): Pick<RunView, 'loss' | 'step_s'> =>
  pace ? { step_s: pace.step_s, ...(pace.tells_loss && { loss: pace.loss }) } : {}

export async function requireRun(database: Database, id: string): Promise<Run> {
  const run = await runOf(database, id)
  if (!run) throw new IronlawError('IL_NOT_FOUND', { kind: 'run', id })
  return run
}

/** Adds what only the view of one run has: pace, loss and checkpoint. All queries run at once, since each waits for a busy database. */
export async function runDetail(database: Database, id: string): Promise<RunView> {
  const [run, vitals, paces, checkpoints] = await Promise.all([
    requireRun(database, id),
    vitalsOf(database, [id]),
    pacesOf(database, { run_ids: [id], batches: RECENT_BATCHES }),
    checkpointsOf(database, id),
  ])
  const committed = checkpoints.findLast(({ state }) => state === 'committed')
  return { ...runView(run, vitals.get(id) ?? []), ...paceView(paces.get(id)), ...(committed && { checkpoint_step: committed.step }) }
}

function runView(run: Run, vitals: readonly Vitals[]): RunView {
  const { shape, kind, steps, predicted_step_s, uses } = specOfRun(run)
  const reached = vitals.flatMap(({ last_step }) => (last_step === null ? [] : [last_step]))
  return {
    id: run.id,
    name: run.name,
    ...(kind && { kind }),
    project: run.project,
    team: run.team,
    state: run.state,
    state_since_at: run.state_since_at,
    why: run.wait_reason ?? '',
    plan: run.plan_id,
    shape: shapeView(shape),
    argv: [...run.program.argv],
    environment: Object.keys(run.program.environment),
    attempt: run.attempt,
    ...(reached.length > 0 && { step: Math.max(...reached) }),
    ...(steps !== undefined && { steps }),
    ...(predicted_step_s !== undefined && { predicted_step_s }),
    ...(run.verdict && { outcome: outcomeView(run.verdict) }),
    ...(uses && { uses: uses.map(({ id }) => id) }),
    created_at: run.created_at,
    created_by: run.created_by,
    ...(run.ended_at !== null && { ended_at: run.ended_at }),
  }
}

export const shapeView = ({ devices, smaller, ...shape }: RunShape): RunView['shape'] => ({
  ...shape,
  smaller: [...smaller],
  ...(devices && { devices: { ...devices, kinds: [...devices.kinds] } }),
})

const outcomeView = ({ nodes, ...outcome }: NonNullable<Run['verdict']>): NonNullable<RunView['outcome']> => ({
  ...outcome,
  ...(nodes && { nodes: [...nodes] }),
})

/** The reconciler writes down what it decided; how far the current attempt has come is in the vitals. */
export async function attemptViews(database: Database, run: Run): Promise<AttemptView[]> {
  const [attempts, vitals] = await Promise.all([attemptsOf(database, [run.id]), vitalsOf(database, [run.id])])
  return attempts
    .get(run.id)
    .map((attempt) => attemptView(attempt.number === run.attempt ? withProgress(attempt, vitals.get(run.id) ?? []) : attempt))
}

function attemptView(attempt: Attempt): AttemptView {
  const {
    number,
    state,
    nodes,
    excluded,
    members,
    placed,
    submittedAt,
    startedAt,
    firstStepAt,
    lastStep,
    lastStepAt,
    endedAt,
    outcome,
    check,
  } = attempt
  return {
    number,
    state,
    nodes,
    excluded: [...excluded],
    ...(placed && { placed: [...placed] }),
    ...(members && { allocations: [...new Set(members.map(({ allocation }) => allocation))] }),
    submitted_at: submittedAt,
    ...(startedAt !== undefined && { started_at: startedAt }),
    ...(firstStepAt !== undefined && { first_step_at: firstStepAt }),
    ...(lastStep !== undefined && { last_step: lastStep }),
    ...(lastStepAt !== undefined && { last_step_at: lastStepAt }),
    ...(check && { check }),
    ...(endedAt !== undefined && { ended_at: endedAt }),
    ...(outcome && { outcome: outcomeView(outcome) }),
  }
}
