// The tables of the budgets, as the store makes its own: numbered SQL files, each run once, under Kysely's lock. Tables of their own for what
// has been applied, because a gateway may share its database with the control plane.

import { readdir, readFile } from 'node:fs/promises'
import { IronlawError } from '@ironlaw/contracts'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Pool } from 'pg'

const DIRECTORY = new URL('./', import.meta.url)

export async function migrateBudgets(pool: Pool): Promise<void> {
  const names = (await readdir(DIRECTORY)).filter((name) => name.endsWith('.sql')).toSorted()
  const migrations: Record<string, Migration> = {}
  for (const name of names) {
    const text = await readFile(new URL(name, DIRECTORY), 'utf8')
    migrations[name] = { up: async (database: Kysely<unknown>) => void (await sql.raw(text).execute(database)) }
  }
  const { error } = await new Migrator({
    db: new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) }),
    provider: { getMigrations: async () => migrations },
    migrationTableName: 'gateway_migrations',
    migrationLockTableName: 'gateway_migrations_lock',
  }).migrateToLatest()
  if (error !== undefined)
    throw new IronlawError(
      'IL_UNEXPECTED',
      { reason: `the tables of the budgets were not made (${error instanceof Error ? error.message : 'no reason given'})` },
      { cause: error },
    )
}
