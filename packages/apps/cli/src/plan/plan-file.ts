// Reads a plan from a file: a bare plan, or the first plan of `ironlaw plan --json` output.

import { IronlawError, planId, servingPlanId, type ServingPlan, type TrainingPlan } from '@ironlaw/contracts'
import { readValue } from '@ironlaw/contracts/read-value'
import { SERVING_PLAN } from '@ironlaw/contracts/serving-plan'
import { TRAINING_PLAN } from '@ironlaw/contracts/training-plan'
import type * as z from 'zod'
import { readDocument } from '../input-file.ts'

const TRAINING = { schema: TRAINING_PLAN, kind: 'TrainingPlan', what: 'training' } as const

export const readTrainingPlan = (file: string): TrainingPlan => parseTrainingPlan(readDocument(file), file)

/** `source` names the file in messages. */
export function parseTrainingPlan(document: unknown, source: string): TrainingPlan {
  const plan = parsePlan(document, source, TRAINING)
  return checkPlanId(plan, { file: source, id: planId(plan) })
}

export const readServingPlan = (file: string): ServingPlan => {
  const plan = parsePlan(readDocument(file), file, { schema: SERVING_PLAN, kind: 'ServingPlan', what: 'serving' })
  return checkPlanId(plan, { file, id: servingPlanId(plan) })
}

type Form<Schema> = { readonly schema: Schema; readonly kind: string; readonly what: string }

function parsePlan<Schema extends z.ZodType>(document: unknown, file: string, { schema, kind, what }: Form<Schema>): z.output<Schema> {
  const plan = isObject(document) && Array.isArray(document['plans']) ? document['plans'][0] : document
  if (!isObject(plan) || plan['kind'] !== kind)
    throw new IronlawError('IL_DOCUMENT', { path: file, reason: `it holds no ${what} plan; write one with "ironlaw plan ... --json"` })
  const read = readValue(schema, plan)
  if (read.success) return read.data
  const [first] = read.error.issues
  throw new IronlawError('IL_DOCUMENT', {
    path: file,
    reason: `its ${what} plan is wrong at ${first?.path.join('.') ?? ''}: ${first?.message ?? ''}`,
  })
}

function checkPlanId<Plan extends { readonly id: string }>(plan: Plan, { file, id }: { readonly file: string; readonly id: string }): Plan {
  if (plan.id === id) return plan
  throw new IronlawError('IL_DOCUMENT', {
    path: file,
    reason: `its id is ${plan.id} but its content hashes to ${id}: it was edited, or written by a newer version; plan again`,
  })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
