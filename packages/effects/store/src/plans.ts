// Plans are named by their content, so storing one twice is storing it once.

import type { Database } from './database.ts'
import { jsonText } from './json-text.ts'
import type { Plan } from './tables.ts'

export type NewPlan = Readonly<Plan>

export async function putPlan(database: Database, plan: NewPlan): Promise<void> {
  const row = { ...plan, body: jsonText(plan.body) }
  await database
    .insertInto('plans')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export function planOf(database: Database, id: string): Promise<Plan | undefined> {
  return database.selectFrom('plans').selectAll().where('id', '=', id).executeTakeFirst()
}
