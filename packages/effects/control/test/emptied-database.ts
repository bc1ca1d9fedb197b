// One database inside this process, emptied for each test: a new one takes seconds to start, an emptied one milliseconds.

import { type Database, migrate } from '@ironlaw/store'
import { sql } from 'kysely'
import { openEmptyEmbedded } from '../../store/test/empty-embedded.ts'

let shared: Database | undefined

export async function emptiedDatabase(): Promise<Database> {
  shared ??= await openEmptyEmbedded()
  await sql`drop schema public cascade`.execute(shared)
  await sql`create schema public`.execute(shared)
  await migrate(shared)
  return shared
}
