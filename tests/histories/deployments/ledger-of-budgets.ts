// The books of the gateways' budgets: the production SQL, as effects, and how much of what was leased may have been spent unseen.

import type { Pool } from 'pg'
import { type Books, postgresBooks } from '@ironlaw/gateway'
import type { Effects, Process } from '../../../packages/effects/control/test/effects.ts'
import type { Connection } from '../../../packages/effects/control/test/simulated-database.ts'
import type { Timeline } from '../timeline.ts'
import { LEASE } from './gateway-process.ts'

type Holding = { held: number; at: number; isOver: boolean }

type Parts = {
  readonly timeline: Timeline
  readonly effects: Effects
  readonly connection: Connection
  readonly isAway: () => boolean
  readonly books: (inner: Books) => Books
}

export class LedgerOfBudgets {
  /** The stated bound of overspend so far: leases of gateways that died or were cut off for longer than a lease lasts. */
  unseen_nusd = 0
  readonly #parts: Parts
  readonly #holdings = new Map<string, Holding>()
  readonly #booked: { readonly at: number; readonly amount: number }[] = []

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** What one process of a gateway asks. */
  books(process: Process): Books {
    const { timeline, effects, connection, isAway } = this.#parts
    const holding: Holding = { held: 0, at: timeline.now, isOver: false }
    this.#holdings.set(process.name, holding)
    const query = ({ text, values }: { text: string; values: readonly unknown[] }): Promise<{ rows: unknown[] }> =>
      effects.call(
        { process, what: 'books' },
        async () => {
          if (isAway()) throw new Error('the database is away')
          await connection.query("select set_config('histories.now', $1, false)", [String(timeline.now)])
          return { rows: await connection.query(text, values) }
        },
        () => {
          throw new Error('the request or its answer was lost')
        },
      )
    // Of a pool only this is used.
    const inner = postgresBooks({ query } as unknown as Pool)
    return this.#parts.books(async (entry) => {
      const sentAt = timeline.now
      const row = await inner(entry)
      this.#booked.push({ at: sentAt, amount: entry.used + (row?.granted ?? 0) })
      if (!row) return row
      this.expire()
      Object.assign(holding, { held: row.held, at: sentAt })
      return row
    })
  }

  loseHoldings(process: Process): void {
    this.#lose(this.#holdings.get(process.name))
  }

  /** Leases that nobody renewed in time: their money is given to others, and may have been spent all the same. */
  expire(): void {
    for (const holding of this.#holdings.values())
      if (this.#parts.timeline.now > holding.at + LEASE.lease_s) {
        this.unseen_nusd += holding.held
        holding.held = 0
      }
  }

  /** What was booked since then is forgotten. */
  forget(since: number): void {
    for (const { held } of this.#holdings.values()) this.unseen_nusd += held
    this.unseen_nusd += this.#booked.reduce((sum, { at, amount }) => sum + (at >= since ? amount : 0), 0)
  }

  #lose(holding: Holding | undefined): void {
    if (!holding || holding.isOver) return
    holding.isOver = true
    this.unseen_nusd += holding.held
    holding.held = 0
  }
}
