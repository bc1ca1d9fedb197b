// The books in PostgreSQL: one entry at a time, with the state of the budget after it.

import type { Pool } from 'pg'

export type Entry = {
  readonly budget: string
  readonly gateway: string
  /** Counts a gateway's entries; one with the number of the last is known to be the same again. */
  readonly number: number
  readonly used: number
  readonly returned: number
  readonly need: number
  readonly wish: number
  readonly lease_s: number
}

export type Row = {
  readonly held: number
  readonly granted: number
  readonly spent: number
  readonly leased: number
  readonly bound: number
  readonly wanted: boolean
}

/** Undefined when it is not known whether the entry was booked. */
export type Books = (entry: Entry) => Promise<Row | undefined>

export const postgresBooks =
  (pool: Pool): Books =>
  async ({ budget, gateway, number, used, returned, need, wish, lease_s }) => {
    try {
      const { rows } = await pool.query<Record<Exclude<keyof Row, 'wanted'>, string> & Pick<Row, 'wanted'>>({
        name: 'gateway-report',
        text: 'select * from gateway_report($1, $2, $3, $4, $5, $6, $7, $8)',
        values: [budget, gateway, number, used, returned, need, wish, lease_s],
      })
      const [row] = rows
      if (!row) return undefined
      const { held, granted, spent, leased, bound, wanted } = row
      return { held: Number(held), granted: Number(granted), spent: Number(spent), leased: Number(leased), bound: Number(bound), wanted }
    } catch {
      // The database is away. What is in hand may still be spent while the lease lasts, and the entry is sent again.
      return undefined
    }
  }
