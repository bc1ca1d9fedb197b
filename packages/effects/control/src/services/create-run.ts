// A run as asked for becomes a row, with its plan kept under its content address.

import { hash } from 'node:crypto'
import { canonicalJson, IronlawError, type Json, planId } from '@ironlaw/contracts'
import { type CreateRun, RUN, type RunView } from '@ironlaw/contracts/api'
import { checkpointsOf, createRun, type Database, type JsonObject, once, runOf } from '@ironlaw/store'
import * as z from 'zod'
import type { RunSpec } from '../run-spec.ts'
import { FIRST_CHECKPOINT_S } from './checkpoint-interval.ts'
import { runNamed, runViews } from './run-view.ts'
import { randomId } from './tokens.ts'

type Asking = { readonly actor: string; readonly at: number; readonly key?: string }

/** The same key with the same body is one run, and the same answer. */
export async function makeRun(database: Database, wanted: CreateRun, { actor, at, key }: Asking): Promise<RunView> {
  const made = (transaction: Database) => inserted(transaction, wanted, { actor, at })
  if (key === undefined) return database.transaction().execute(made)
  const request_hash = hash('sha256', canonicalJson(jsonOf(wanted)))
  const done = await once(database, { principal: actor, key, request_hash, at }, async (transaction) => ({
    status: 201,
    body: await made(transaction),
  }))
  if (done.kind !== 'mismatch') return RUN.parse(done.answer.body)
  throw new IronlawError('IL_CONFLICT', {
    problem: `the idempotency key "${key}" was used for another request`,
    next: 'use a new key for a new request',
  })
}

async function inserted(database: Database, wanted: CreateRun, { actor, at }: Asking): Promise<RunView> {
  const { name, project, team, program } = wanted
  const body = jsonOf(wanted.plan)
  const plan = { id: planId(body), kind: kindOf(body), body }
  if (body['id'] !== plan.id)
    throw new IronlawError('IL_INVALID', { path: 'body.plan.id', problem: `the content of the plan has the address ${plan.id}` })
  const id = `${name.slice(0, 40)}-${randomId()}`
  const environment = Object.keys(program.environment)
  const from = wanted.from && (await sourceOf(database, wanted.from))
  const event = {
    kind: 'run-created',
    actor,
    at,
    body: { name, project, ...(team !== undefined && { team }), plan: plan.id, argv: program.argv, environment, ...(from && { from }) },
  }
  await createRun(
    database,
    { id, name, project, ...(team !== undefined && { team }), plan, spec: { ...specOf(wanted), ...(from && { from }) }, program },
    event,
  )
  const run = await runOf(database, id)
  const [view] = run ? await runViews(database, [run]) : []
  if (!view) throw new IronlawError('IL_UNEXPECTED', { reason: `run ${id} is not where it was put` })
  return view
}

/** The checkpoint that a run begins with: one that was committed, by the reports of its run. */
async function sourceOf(database: Database, { run, step }: NonNullable<CreateRun['from']>): Promise<{ run: string; step: number }> {
  const { id } = await runNamed(database, run)
  const committed = (await checkpointsOf(database, id)).filter(({ state }) => state === 'committed')
  const found = committed.findLast((each) => step === undefined || each.step === step)
  if (found) return { run: id, step: found.step }
  const steps = committed.slice(-5).map((each) => each.step)
  throw new IronlawError('IL_INVALID', {
    path: 'body.from',
    problem: `run ${id} has no committed checkpoint${step === undefined ? '' : ` of step ${step}`}${steps.length === 0 ? '' : `; its newest are of steps ${steps.join(', ')}`}`,
  })
}

/** It came as JSON; the way through text proves to the compiler what a cast would only claim. */
export const jsonOf = (value: object): JsonObject => JSON.parse(JSON.stringify(value))

export function kindOf({ kind }: { readonly kind?: Json | undefined }): string {
  if (typeof kind === 'string') return kind
  throw new IronlawError('IL_INVALID', { path: 'body.plan.kind', problem: 'missing; expected the kind of the plan' })
}

const positive = z.number().positive()
const PREDICTED = z.object({ prediction: z.object({ step_s: positive }) })
const SIZED = z.object({ tokens: positive, sequence: positive, globalBatch: positive })

function specOf({ plan, shape }: CreateRun): RunSpec {
  const predicted = PREDICTED.safeParse(plan)
  const sized = SIZED.safeParse(plan)
  return {
    shape,
    ...(predicted.success && { predicted_step_s: predicted.data.prediction.step_s }),
    ...(sized.success && { steps: Math.ceil(sized.data.tokens / (sized.data.sequence * sized.data.globalBatch)) }),
    checkpoint_every_s: shape.checkpointEvery_s ?? FIRST_CHECKPOINT_S,
  }
}
