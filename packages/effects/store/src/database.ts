// The seam of the store is the connection: a PostgreSQL server, or PostgreSQL inside this process. One SQL, one set of queries, and
// no imitation of the store for tests. `destroy()` closes either.

import { Kysely, PGliteDialect, PostgresDialect } from 'kysely'
import { Pool, types } from 'pg'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>

const CONNECT_TIMEOUT_MS = 10_000
/** A transaction left open holds back the feed of events for everybody. */
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000

export function openPostgres(url: string, { max }: { readonly max: number }): Database {
  // Counts and steps fit a double; as text, which is how `pg` gives an int8, they would compare wrongly.
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    types: { getTypeParser: (oid, format) => (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)) },
  })
  // The pool drops a connection that breaks while idle (a server that restarts) and opens another; without a listener Node would exit.
  pool.on('error', () => undefined)
  // One that breaks between two statements of a transaction fails the next of them; it has no other listener either.
  pool.on('connect', (client) => void client.on('error', () => undefined))
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

/** 'memory' keeps nothing. With a dump of another one it starts as its copy, in a quarter of the time that a new one takes. */
export async function openEmbedded(directory: string, dump?: Blob): Promise<Database> {
  const { PGlite } = await import('@electric-sql/pglite')
  const pglite = await PGlite.create({
    dataDir: directory === 'memory' ? 'memory://' : directory,
    parsers: { [types.builtins.INT8]: Number },
    ...(dump && { loadDataDir: dump }),
  })
  return new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
}

/** Runs `work` in the transaction that is open, or in its own. */
export function inTransaction<T>(database: Database, work: (transaction: Database) => Promise<T>): Promise<T> {
  return database.isTransaction ? work(database) : database.transaction().execute(work)
}
