// Connections to the budgets' database. A server that falls silent (a failover, a network that drops packets) closes none of them: one on
// which nothing arrives is destroyed, and the pool opens another.

import { Socket } from 'node:net'
import { Pool } from 'pg'

/** Budgets are leased in chunks, off the path of requests; the chunk in hand lasts for longer than this. */
const CONNECT_MS = 2000
const STATEMENT_MS = 5000
const SILENCE_MS = 7500
const KEEP_ALIVE_MS = 5000
/** The pool closes an idle connection before it counts as silent. */
const IDLE_MS = 5000

export function openBudgetPool(url: string, silence_ms = SILENCE_MS): Pool {
  const pool = new Pool({
    connectionString: url,
    max: 4,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: STATEMENT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    stream: () => {
      const socket = new Socket()
      const silent = (): Error => new Error(`the database said nothing for ${silence_ms / 1000} s`)
      return socket.setTimeout(silence_ms, () => socket.destroy(silent()))
    },
  })
  // A connection that breaks while idle is replaced; without a listener Node would exit.
  pool.on('error', () => undefined)
  // A connection cut inside a transaction emits the error on its client, not on the pool; unhandled, that would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined))
  return pool
}
