// Parts of a history that a test may replace by broken ones.

import type { GatewaySnapshot } from '@ironlaw/contracts/gateway-snapshot'
import type { ReplicaTotals } from '@ironlaw/contracts/gateway-sync'
import type { Executor } from '@ironlaw/executors'
import type { Books } from '@ironlaw/gateway'
import type { Connection } from '../../../packages/effects/control/test/simulated-database.ts'
import type { Engines } from './engines.ts'

/** What a gateway does with a snapshot before it is applied, and with totals before they are sent. */
export type Filter = {
  readonly applied: (next: GatewaySnapshot, before: GatewaySnapshot | undefined) => GatewaySnapshot
  readonly reported: (totals: ReplicaTotals) => ReplicaTotals
}

export type Parts = {
  readonly connection: (inner: Connection) => Connection
  readonly executor: (inner: Executor) => Executor
  readonly books: (inner: Books) => Books
  /** One for each gateway: what it does with a snapshot and with its totals. */
  readonly filter: () => Filter
  readonly isReady: (engines: Engines) => (url: string) => boolean
  /** Changes the database behind everybody's back, now and then. */
  readonly tamper?: (connection: Connection) => Promise<unknown>
}

export const SOUND: Parts = {
  connection: (inner) => inner,
  executor: (inner) => inner,
  books: (inner) => inner,
  filter: () => ({ applied: (next) => next, reported: (totals) => totals }),
  isReady: (engines) => (url) => {
    const engine = engines.byUrl(url)
    return engine !== undefined && engines.isReady(engine)
  },
}
