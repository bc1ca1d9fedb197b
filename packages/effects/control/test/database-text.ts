// Everything that a database holds, as text: to look for what must not be there.

import type { Database } from '@ironlaw/store'
import { sql } from 'kysely'

export async function databaseText(database: Database): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(
    database,
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(database)
    texts.push(...rows.map(({ text }) => `${name}: ${text}`))
  }
  return texts.join('\n')
}
