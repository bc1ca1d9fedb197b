// Whose the jobs of a run or a replica are. The first choice stays.

import type { Selectable } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import type { JobUserRows } from './tables.ts'

export type JobUserRow = Selectable<JobUserRows>

/** What was chosen before, or else this. */
export function keepJobUser(database: Database, row: JobUserRow): Promise<JobUserRow> {
  return inTransaction(database, async (transaction) => {
    await transaction
      .insertInto('job_users')
      .values(row)
      .onConflict((conflict) => conflict.column('subject').doNothing())
      .execute()
    return transaction.selectFrom('job_users').selectAll().where('subject', '=', row.subject).executeTakeFirstOrThrow()
  })
}

export async function jobUsersOf(database: Database, subjects: readonly string[]): Promise<readonly JobUserRow[]> {
  if (subjects.length === 0) return []
  return database.selectFrom('job_users').selectAll().where('subject', 'in', subjects).execute()
}

/** Undefined where there is no such run or replica (`<deployment>.<number>`). */
export async function projectOfJob(database: Database, subject: string): Promise<string | undefined> {
  const run = await database.selectFrom('runs').select('project').where('id', '=', subject).executeTakeFirst()
  if (run) return run.project
  const deployment = subject.replace(/\.\d+$/, '')
  return (await database.selectFrom('deployments').select('project').where('id', '=', deployment).executeTakeFirst())?.project
}
