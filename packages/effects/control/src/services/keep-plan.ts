// A plan kept under its content address. Who makes a deployment says which plan it follows by this address only.

import { IronlawError, planId } from '@ironlaw/contracts'
import { type Database, type JsonObject, putPlan } from '@ironlaw/store'
import { jsonOf, kindOf } from './create-run.ts'

/** Answers the address. */
export async function keepPlan(database: Database, plan: object, created_at: number): Promise<string> {
  const body = jsonOf(plan)
  const id = addressOf(body)
  await putPlan(database, { id, kind: kindOf(body), body, created_at })
  return id
}

/** Training plans and serving plans bear the same digest under different first words. */
function addressOf(body: JsonObject): string {
  const ours = planId(body)
  const known = [ours, ours.replace(/^plan-/, 'serve-')].find((id) => id === body['id'])
  if (known === undefined)
    throw new IronlawError('IL_INVALID', { path: 'body.id', problem: `the content of the plan has the address ${ours}` })
  return known
}
