// The one ledger of quota shares. Time is the database's, since several control planes date grants and decide when they expire.

import type { QuotaLedger } from '@ironlaw/contracts/gateway-quota'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { jsonText } from './json-text.ts'

export type LedgerChange<Answer> = { readonly ledger: QuotaLedger; readonly answer: Answer }

/** One change at a time. */
export function changeQuotaLedger<Answer>(
  database: Database,
  change: (ledger: QuotaLedger, now: number) => LedgerChange<Answer>,
): Promise<Answer> {
  return inTransaction(database, async (transaction) => {
    const stored = await transaction
      .selectFrom('gateway_quota')
      .select(['ledger', sql<number>`extract(epoch from clock_timestamp())::float8`.as('now')])
      .forUpdate()
      .executeTakeFirstOrThrow()
    const { ledger, answer } = change(stored.ledger, stored.now)
    await transaction
      .updateTable('gateway_quota')
      .set({ ledger: jsonText(ledger) })
      .execute()
    return answer
  })
}
