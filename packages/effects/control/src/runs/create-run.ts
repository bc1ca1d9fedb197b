// Creates the row of a requested run, and stores its plan under its content address.

import { hash } from 'node:crypto'
import { canonicalJson, IronlawError } from '@ironlaw/contracts'
import { type CreateRun, RUN, type RunView } from '@ironlaw/contracts/api'
import { withoutValues } from '@ironlaw/contracts/run-origin'
import { recipeOf } from '@ironlaw/policies/run'
import { DATA_RUN_STEPS } from '@ironlaw/contracts/data-plan'
import { addEdges, checkpointsOf, createRun, type Database, type ProjectScope, runOnce, runOf } from '@ironlaw/store'
import { requireArtifact } from '../artifacts/artifact-views.ts'
import type { RunSpec, UsedArtifact } from './run-spec.ts'
import { firstCheckpoint } from './checkpoint-interval.ts'
import { checkedPlan } from './store-plan.ts'
import { requireRun, runViews } from './run-view.ts'
import { owningTeam } from '../access/teams-document.ts'
import { randomId } from '../access/tokens.ts'

type CreateOptions = {
  readonly actor: string
  readonly at: number
  readonly key?: string
  /** Projects of the runs whose checkpoints it may begin with. */
  readonly visible: ProjectScope
}

/** The same key with the same body is one run, and the same answer. */
export async function makeRun(database: Database, wanted: CreateRun, { actor, at, key, visible }: CreateOptions): Promise<RunView> {
  const insert = (transaction: Database) => insertRun(transaction, wanted, { actor, at, visible })
  if (key === undefined) return database.transaction().execute(insert)
  const request_hash = hash('sha256', canonicalJson(wanted))
  const done = await runOnce(database, { principal: actor, key, request_hash, at }, async (transaction) => ({
    status: 201,
    body: await insert(transaction),
  }))
  if (done.kind !== 'mismatch') return RUN.parse(done.answer.body)
  throw new IronlawError('IL_CONFLICT', {
    problem: `the idempotency key "${key}" was used for another request`,
    next: 'use a new key for a new request',
  })
}

async function insertRun(database: Database, wanted: CreateRun, { actor, at, visible }: CreateOptions): Promise<RunView> {
  const { name, project, program } = wanted
  const team = (await owningTeam(database, project)) ?? wanted.team
  const plan = checkedPlan(wanted.plan, 'body.plan')
  const id = `${name.slice(0, 40)}-${randomId()}`
  const environment = Object.keys(program.environment)
  const secrets = program.secrets && { secrets: program.secrets }
  const from = wanted.from && (await checkpointSource(database, wanted.from, visible))
  const uses = wanted.uses && (await usedArtifacts(database, project, wanted.uses))
  const event = {
    kind: 'run-created',
    actor,
    at,
    body: {
      name,
      project,
      ...(team !== undefined && { team }),
      plan: plan.id,
      argv: program.argv,
      environment,
      ...secrets,
      ...(from && { from }),
      ...(uses && { uses: uses.map((each) => each.id) }),
      ...(wanted.code && { code: codeEvent(wanted.code) }),
    },
  }
  const spec = { ...specOf(wanted), ...(from && { from }), ...(uses && { uses }) }
  const recipe = recipeOf({ ...wanted, ...(from && { from }), uses: uses?.map((each) => each.id) ?? [] })
  const row = { id, name, project, ...(team !== undefined && { team }), plan, spec, program, ...(recipe !== undefined && { recipe }) }
  await createRun(database, row, event)
  if (uses) await addEdges(database, { run_id: id, project, artifacts: uses.map((each) => each.id), how: 'used', at })
  const run = await runOf(database, id)
  const [view] = run ? await runViews(database, [run]) : []
  if (!view) throw new IronlawError('IL_UNEXPECTED', { reason: `run ${id} is not where it was put` })
  return view
}

/** As they are when the run is created: a name that is moved later does not change what the run uses. */
async function usedArtifacts(database: Database, project: string, references: readonly string[]): Promise<readonly UsedArtifact[]> {
  const used: UsedArtifact[] = []
  for (const name of references) {
    const { id, type, removed_at } = await requireArtifact(database, project, name)
    if (removed_at !== null)
      throw new IronlawError('IL_CONFLICT', { problem: `artifact ${name} was removed`, next: 'register it again first, or use another' })
    used.push({ name, id, type })
  }
  return used
}

/** The checkpoint that a run begins with: one that was committed, by the reports of its run. */
async function checkpointSource(
  database: Database,
  { run, step }: NonNullable<CreateRun['from']>,
  visible: ProjectScope,
): Promise<{ run: string; step: number }> {
  const { id, project } = await requireRun(database, run)
  if (visible !== '*' && !visible.includes(project)) throw new IronlawError('IL_NOT_FOUND', { kind: 'run', id: run })
  const committed = (await checkpointsOf(database, id)).filter(({ state }) => state === 'committed')
  const found = committed.findLast((each) => step === undefined || each.step === step)
  if (found) return { run: id, step: found.step }
  const steps = committed.slice(-5).map((each) => each.step)
  throw new IronlawError('IL_INVALID', {
    path: 'body.from',
    problem: `run ${id} has no committed checkpoint${step === undefined ? '' : ` of step ${step}`}${steps.length === 0 ? '' : `; its newest are of steps ${steps.join(', ')}`}`,
  })
}

/** Without the list of changed files, which the run itself has. */
const codeEvent = ({ changes, ...code }: NonNullable<CreateRun['code']>): object => ({
  ...code,
  ...(changes && { changes: { digest: changes.digest, count: changes.count } }),
})

function specOf({ plan, shape, expected_losses_s, code, spec }: CreateRun): RunSpec {
  return {
    shape,
    ...(code && { code }),
    ...(spec && { written: withoutValues(spec) }),
    ...planFields(plan),
    ...(expected_losses_s && { expected_losses_s }),
    checkpoint_every_s: shape.checkpointEvery_s ?? firstCheckpoint(plan.kind === 'TrainingPlan' ? plan.prediction.memory_bytes : undefined),
  }
}

function planFields(plan: CreateRun['plan']): Pick<RunSpec, 'kind' | 'steps' | 'predicted_step_s'> {
  switch (plan.kind) {
    case 'Job':
      return { kind: 'Job', ...(plan.steps !== undefined && { steps: plan.steps }) }
    case 'Data':
      return { kind: 'Data', steps: DATA_RUN_STEPS, predicted_step_s: plan.prediction.duration_s.value / DATA_RUN_STEPS }
    case 'Calibration':
      return { predicted_step_s: plan.prediction.step_s }
    case 'TrainingPlan':
      return { steps: Math.ceil(plan.tokens / (plan.sequence * plan.globalBatch)), predicted_step_s: plan.prediction.step_s }
  }
}
