// The seam of the store is the connection: a PostgreSQL server, or PostgreSQL inside this process. One SQL, one set of queries, and
// no imitation of the store for tests. `destroy()` closes either.

import { Socket } from 'node:net'
import { Kysely, PGliteDialect, PostgresDialect, sql } from 'kysely'
import { Pool, types } from 'pg'
import { lockDirectory } from './directory-lock.ts'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>

/**
 * A server that fails over, or a network that drops packets, closes no connection: it falls silent. A statement is ended by the server, and a
 * connection on which nothing arrives for longer than that is destroyed, so that the pool opens another, perhaps to another server.
 */
export type DatabaseLimits = { readonly connect_ms: number; readonly statement_ms: number; readonly silence_ms: number }

/** The API gives up on a request after 20 s; no statement of ours takes a second on a healthy server. */
export const DATABASE_LIMITS: DatabaseLimits = { connect_ms: 10_000, statement_ms: 20_000, silence_ms: 30_000 }

/** For migrations: building an index over years of history is silent for as long as it takes. */
export const NO_LIMITS: DatabaseLimits = { connect_ms: 10_000, statement_ms: 0, silence_ms: 0 }

/** Also between statements a peer that is gone is noticed. */
const KEEP_ALIVE_MS = 10_000
/** A transaction left open holds back the feed of events for everybody. */
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000

type PostgresOptions = { readonly max: number; readonly limits?: DatabaseLimits }

export function openPostgres(url: string, { max, limits = DATABASE_LIMITS }: PostgresOptions): Database {
  // Counts and steps fit a double; as text, which is how `pg` gives an int8, they would compare wrongly.
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: limits.connect_ms,
    statement_timeout: limits.statement_ms,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    stream: () => impatientSocket(limits.silence_ms),
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    types: { getTypeParser: (oid, format) => (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format)) },
  })
  // The pool drops a connection that breaks while idle (a server that restarts) and opens another; without a listener Node would exit.
  pool.on('error', () => undefined)
  // One that breaks between two statements of a transaction fails the next of them; it has no other listener either.
  pool.on('connect', (client) => void client.on('error', () => undefined))
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

/** The pool closes an idle connection after 10 s, so longer silence means that the server does not answer. */
function impatientSocket(silence_ms: number): Socket {
  const socket = new Socket()
  const error = (): Error => new Error(`the database said nothing for ${silence_ms / 1000} s`)
  return silence_ms === 0 ? socket : socket.setTimeout(silence_ms, () => socket.destroy(error()))
}

/** 'memory' keeps nothing. With a dump of another one it starts as its copy, in a quarter of the time that a new one takes. */
export async function openEmbedded(directory: string, dump?: Blob): Promise<Database> {
  const lock = directory === 'memory' ? undefined : lockDirectory(directory)
  const { PGlite } = await import('@electric-sql/pglite')
  const pglite = await PGlite.create({
    dataDir: directory === 'memory' ? 'memory://' : directory,
    parsers: { [types.builtins.INT8]: Number },
    ...(dump && { loadDataDir: dump }),
  })
  const database = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
  const destroy = database.destroy.bind(database)
  database.destroy = async () => {
    await destroy()
    lock?.release()
  }
  return database
}

/** Unix seconds by the clock that all control planes on this database share. */
export async function databaseClock(database: Database): Promise<number> {
  const { rows } = await sql<{ at: number }>`select extract(epoch from clock_timestamp())::float8 as at`.execute(database)
  return rows[0]?.at ?? Number.NaN
}

/** Runs `work` in the transaction that is open, or in its own. */
export function inTransaction<T>(database: Database, work: (transaction: Database) => Promise<T>): Promise<T> {
  return database.isTransaction ? work(database) : database.transaction().execute(work)
}
