// The ledger of all runs that ended since, from the books.

import { DAY_S, type FleetGrouping, type FleetLedger } from '@ironlaw/contracts/ledger-fleet'
import { fleetLedger } from '@ironlaw/policies/ledger'
import { booksSince, type Database, liveRunCounts, type ProjectScope, unbookedRuns } from '@ironlaw/store'

type LedgerQuery = { readonly since_at: number; readonly by: FleetGrouping; readonly now: number; readonly projects: ProjectScope }

/** In whole days: the one of `since_at` counts from its begin. */
export async function ledgerOfFleet(database: Database, { since_at, by, now, projects }: LedgerQuery): Promise<FleetLedger> {
  const from_at = Math.floor(since_at / DAY_S) * DAY_S
  const [books, live, unbooked] = await Promise.all([
    booksSince(database, { from_at, by, projects }),
    liveRunCounts(database, projects),
    unbookedRuns(database, projects),
  ])
  return fleetLedger(books, { from_at, to_at: now, by, live: [...live.values()].reduce((sum, count) => sum + count, 0), unbooked })
}
