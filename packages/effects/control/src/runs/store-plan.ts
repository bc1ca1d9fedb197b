// Stores a plan under its content address. A deployment refers to its plan by this address only.

import { IronlawError, planId, servingPlanId } from '@ironlaw/contracts'
import type { Plan } from '@ironlaw/contracts/run-plan'
import { type Database, type NewPlan, putPlan } from '@ironlaw/store'

/** Answers the address. */
export async function storePlan(
  database: Database,
  plan: Plan,
  { project, at }: { readonly project: string; readonly at: number },
): Promise<string> {
  const stored = checkedPlan(plan, 'body')
  await putPlan(database, { ...stored, created_at: at }, project)
  return stored.id
}

/** As the store keeps it, once its id is that of its content. Fields that are not known here are gone by now, so that it is not. */
export function checkedPlan(plan: Plan, path: string): Omit<NewPlan, 'created_at'> {
  const id = plan.kind === 'ServingPlan' ? servingPlanId(plan) : planId(plan)
  if (plan.id === id) return { id, kind: plan.kind, body: { ...plan } }
  throw new IronlawError('IL_INVALID', {
    path: `${path}.id`,
    problem: `is ${plan.id}, and the content has the address ${id}: the plan was changed after it was made, or a newer version made it, with fields that are not known here`,
  })
}
