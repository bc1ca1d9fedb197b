// Brings a database to the newest schema: numbered SQL files, each run once, all in one transaction under Kysely's lock. A file that
// was applied must not change: its checksum is stored, and a changed file is refused before anything else happens.

import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { IronlawError } from '@ironlaw/contracts'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Database } from './database.ts'

export type MigrationFile = { readonly name: string; readonly text: string }

const DIRECTORY = new URL('./migrations/', import.meta.url)

/** Names of the files applied now; empty when the schema was up to date. */
export async function migrate(database: Database, files?: readonly MigrationFile[]): Promise<readonly string[]> {
  const known = files ?? (await migrationFiles())
  await refuseChanged(database, known)
  const provider = { getMigrations: async () => Object.fromEntries(known.map((file) => [file.name, migration(file)])) }
  const { error, results = [] } = await new Migrator({ db: database, provider }).migrateToLatest()
  const failed = results.find(({ status }) => status === 'Error')?.migrationName
  if (isInUse(error)) throw new IronlawError('IL_CONFLICT', { problem: error.message, next: error.hint })
  if (error !== undefined)
    throw new IronlawError(
      'IL_UNEXPECTED',
      { reason: `the database schema was not migrated (${failed ?? 'nothing was applied'})` },
      { cause: error },
    )
  return results.map(({ migrationName }) => migrationName)
}

export async function migrationFiles(): Promise<readonly MigrationFile[]> {
  const names = (await readdir(DIRECTORY)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    names.map(async (name) => ({ name: name.replace(/\.sql$/, ''), text: await readFile(new URL(name, DIRECTORY), 'utf8') })),
  )
}

/** `object_in_use`, with which a migration refuses a database that it would break. */
const isInUse = (error: unknown): error is Error & { readonly hint: string } =>
  error instanceof Error && 'code' in error && error.code === '55006' && 'hint' in error && typeof error.hint === 'string'

const checksum = (text: string): string => hash('sha256', text)

const migration = ({ name, text }: MigrationFile): Migration => ({
  up: async (database: Kysely<unknown>) => {
    for (const statement of statements(text)) await sql.raw(statement).execute(database)
    await sql`create table if not exists schema_files (name text primary key, checksum text not null)`.execute(database)
    await sql`insert into schema_files (name, checksum) values (${name}, ${checksum(text)})`.execute(database)
  },
})

async function refuseChanged(database: Database, files: readonly MigrationFile[]): Promise<void> {
  const { rows: tables } = await sql<{ found: boolean }>`select to_regclass('schema_files') is not null as found`.execute(database)
  if (!tables[0]?.found) return
  const { rows } = await sql<{ name: string; checksum: string }>`select name, checksum from schema_files order by name`.execute(database)
  for (const applied of rows) {
    const file = files.find(({ name }) => name === applied.name)
    if (file && checksum(file.text) !== applied.checksum)
      throw new IronlawError('IL_CONFLICT', {
        problem: `migration ${file.name}.sql is not the one this database was made with`,
        next: 'restore that file, and put the change into a new one with a higher number',
      })
  }
}

/** One statement at a time, as PGlite wants them: a semicolon at the end of a line ends one, unless inside a $$ body. */
function statements(text: string): readonly string[] {
  const pieces = text.replaceAll(/^--.*$/gm, '').split(/;[ \t]*$/m)
  const whole: string[] = []
  let open = ''
  for (const piece of pieces) {
    open += open === '' ? piece : `;${piece}`
    if (open.split('$$').length % 2 === 0) continue
    if (open.trim() !== '') whole.push(open)
    open = ''
  }
  return whole
}
