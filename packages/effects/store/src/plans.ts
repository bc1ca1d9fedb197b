// Plans are named by their content, so storing one twice is storing it once.

import type { Database } from './database.ts'
import { jsonText } from './json-text.ts'
import { inProjects, type ProjectScope } from './project-scope.ts'
import type { Plan } from './tables.ts'

export type NewPlan = Readonly<Plan>

/** It belongs to every project that stored it. */
export async function putPlan(database: Database, plan: NewPlan, project: string): Promise<void> {
  const row = { ...plan, body: jsonText(plan.body) }
  await database
    .insertInto('plans')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  await database
    .insertInto('plan_projects')
    .values({ plan_id: plan.id, project })
    .onConflict((conflict) => conflict.columns(['plan_id', 'project']).doNothing())
    .execute()
}

export function planOf(database: Database, id: string, projects: ProjectScope = '*'): Promise<Plan | undefined> {
  const plan = database.selectFrom('plans').selectAll().where('id', '=', id)
  const storedBy = database.selectFrom('plan_projects').select('plan_id').where('plan_id', '=', id).where(inProjects(projects))
  return (projects === '*' ? plan : plan.where('id', 'in', storedBy)).executeTakeFirst()
}
