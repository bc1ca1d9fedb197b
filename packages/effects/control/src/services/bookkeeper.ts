// Adds runs to the books of the fleet when nothing more is taken of them. Behind the control plane's work, not in its way: one run after
// another, and none is waited for.

import { bookOf } from '@ironlaw/policies/ledger'
import { bookRun, type Database, dueForBooking, postponeBooking, type Run } from '@ironlaw/store'
import { runLedger } from './run-ledger.ts'

type BookkeeperPorts = { readonly database: Database; readonly now: () => number; readonly told: (problem: string) => void }

export type Bookkeeper = { readonly stop: () => Promise<void> }

const REST_MS = 5000
const BATCH = 100
const RETRY_S = 3600

export function startBookkeeper(ports: BookkeeperPorts): Bookkeeper {
  const stopping = new AbortController()
  let wake: () => void = () => undefined
  const done = rounds()
  return {
    stop: async () => {
      stopping.abort()
      wake()
      await done
    },
  }

  async function rounds(): Promise<void> {
    while (!stopping.signal.aborted) {
      const closed = await tryOrReport(ports, () => closeBooks(ports))
      if (closed !== BATCH && !stopping.signal.aborted) await rest()
    }
  }

  async function rest(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, REST_MS)
    wake = resolve
    await promise
    clearTimeout(timer)
  }
}

/** How many runs were due. */
export async function closeBooks(ports: BookkeeperPorts): Promise<number> {
  const { database, now } = ports
  const runs = await dueForBooking(database, { at: now(), limit: BATCH })
  for (const run of runs) {
    const booked = await tryOrReport(ports, () => closeBook(ports, run))
    if (booked === undefined) await postponeBooking(database, { run_id: run.id, due_at: now() + RETRY_S })
  }
  return runs.length
}

async function closeBook({ database, now }: BookkeeperPorts, run: Run): Promise<'booked' | 'repeated'> {
  const ledger = await runLedger(database, run, now())
  return bookRun(database, { ...run, ended_at: ledger.to_at }, bookOf(ledger))
}

async function tryOrReport<T>({ told }: BookkeeperPorts, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (cause) {
    told(`books were not closed: ${cause instanceof Error ? cause.message : String(cause)}`)
    return undefined
  }
}
