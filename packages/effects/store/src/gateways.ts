// The gateways: what each said last, and the one snapshot that all of them follow.

import type { GatewaySync } from '@ironlaw/contracts/gateway-sync'
import { canonicalJson } from '@ironlaw/contracts'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent } from './events.ts'
import { jsonText } from './json-text.ts'
import type { Gateway, JsonObject } from './tables.ts'

export const GATEWAYS_STREAM = 'gateways'

export async function recordGateway(
  database: Database,
  { id, seen_at, body }: { id: string; seen_at: number; body: GatewaySync },
): Promise<void> {
  if (body.leaving) {
    await database.deleteFrom('gateways').where('id', '=', id).execute()
    return
  }
  const row = { seen_at, body: jsonText(body) }
  await database
    .insertInto('gateways')
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

export function gatewaysSince(database: Database, seen_at: number): Promise<Gateway[]> {
  return database.selectFrom('gateways').selectAll().where('seen_at', '>=', seen_at).orderBy('id').execute()
}

export type StoredSnapshot = { readonly version: number; readonly body: JsonObject }

export function snapshotOf(database: Database): Promise<StoredSnapshot> {
  return database.selectFrom('gateway_snapshot').select(['version', 'body']).executeTakeFirstOrThrow()
}

/** Without the snapshot itself where that is not newer than `version`. */
export function newerSnapshot(database: Database, version: number): Promise<StoredSnapshot | undefined> {
  return database.selectFrom('gateway_snapshot').select(['version', 'body']).where('version', '>', version).executeTakeFirst()
}

/**
 * Makes the snapshot anew from what is in the database, one maker at a time: whoever waited reads what the one before committed, so the
 * newest version is never made of older rows. Answers its version, the same as before where nothing changed.
 */
export function makeSnapshot(
  database: Database,
  made: (transaction: Database, config: JsonObject) => Promise<JsonObject>,
): Promise<number> {
  return inTransaction(database, async (transaction) => {
    const before = await transaction.selectFrom('gateway_snapshot').selectAll().forUpdate().executeTakeFirstOrThrow()
    const content = await made(transaction, before.config)
    if (canonicalJson({ ...content, version: before.version }) === canonicalJson(before.body)) return before.version
    const version = before.version + 1
    await transaction
      .updateTable('gateway_snapshot')
      .set({ version, body: jsonText({ ...content, version }) })
      .execute()
    return version
  })
}

export function configureGateways(database: Database, config: object, event: NewEvent): Promise<void> {
  return inTransaction(database, async (transaction) => {
    await transaction
      .updateTable('gateway_snapshot')
      .set({ config: jsonText(config) })
      .execute()
    await appendEvents(transaction, GATEWAYS_STREAM, [event])
  })
}
