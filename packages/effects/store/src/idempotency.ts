// A request with an idempotency key is done once. The key is claimed in the transaction that does the work, so a second request waits
// for the first to commit and is given its answer; if the first fails, nothing of it remains and the second does the work.

import type { Json } from '@ironlaw/contracts'
import { type Database, inTransaction } from './database.ts'
import { jsonText } from './json-text.ts'

export type IdempotentRequest = { readonly principal: string; readonly key: string; readonly request_hash: string; readonly at: number }

export type StoredResponse = { readonly status: number; readonly body: Json }

/** 'mismatch': the key was used for another request. */
export type OnceResult = { readonly kind: 'done' | 'repeated'; readonly answer: StoredResponse } | { readonly kind: 'mismatch' }

export function runOnce(
  database: Database,
  keyed: IdempotentRequest,
  work: (transaction: Database) => Promise<StoredResponse>,
): Promise<OnceResult> {
  const { principal, key, request_hash } = keyed
  return inTransaction(database, async (transaction) => {
    const claimed = await transaction
      .insertInto('idempotency')
      .values(keyed)
      .onConflict((conflict) => conflict.columns(['principal', 'key']).doNothing())
      .returning('key')
      .executeTakeFirst()
    const mine = transaction.selectFrom('idempotency').selectAll().where('principal', '=', principal).where('key', '=', key)
    if (!claimed) {
      const before = await mine.executeTakeFirstOrThrow()
      if (before.request_hash !== request_hash || before.status === null) return { kind: 'mismatch' }
      return { kind: 'repeated', answer: { status: before.status, body: before.body } }
    }
    const answer = await work(transaction)
    await transaction
      .updateTable('idempotency')
      .set({ status: answer.status, body: jsonText(answer.body) })
      .where('principal', '=', principal)
      .where('key', '=', key)
      .execute()
    return { kind: 'done', answer }
  })
}

/** Forgets keys claimed before a time; a request repeated after that is done again. */
export async function forgetKeys(database: Database, before_at: number): Promise<void> {
  await database.deleteFrom('idempotency').where('at', '<', before_at).execute()
}
