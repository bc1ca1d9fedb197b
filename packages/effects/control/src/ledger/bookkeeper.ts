// Adds runs to the books of the fleet when nothing more is taken of them. Behind the control plane's work, not in its way: one run after
// another, and none is waited for.

import { bookOf } from '@ironlaw/policies/ledger'
import { bookRun, type Database, dueForBooking, postponeBooking } from '@ironlaw/store'
import { type Round, workThrough } from '../rounds/rounds.ts'
import { runLedger } from './run-ledger.ts'

type BookkeeperPorts = { readonly database: Database; readonly now: () => number }

export const BOOKS_REST_MS = 5000
const BATCH = 100
const RETRY_S = 3600

export async function closeBooks({ database, now }: BookkeeperPorts): Promise<Round> {
  return workThrough(await dueForBooking(database, { at: now(), limit: BATCH }), {
    name: ({ id }) => `books of run ${id} were not closed`,
    work: async (run) => {
      const ledger = await runLedger(database, run, now())
      await bookRun(database, { ...run, ended_at: ledger.to_at }, bookOf(ledger))
    },
    postpone: ({ id }) => postponeBooking(database, { run_id: id, due_at: now() + RETRY_S }),
  })
}
