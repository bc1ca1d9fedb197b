// The gateways: what each said last, and the one snapshot that all of them follow.

import { hash, randomUUID } from 'node:crypto'
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

const VERSION = ['epoch', 'version', 'digest'] as const

/** Which configuration is the newest, without the configuration. */
export function configVersion(database: Database): Promise<ConfigVersion> {
  return database.selectFrom('gateway_snapshot').select(VERSION).executeTakeFirstOrThrow()
}

type ConfigVersion = { readonly epoch: string; readonly version: number; readonly digest: string }

/** The newest configuration as gateways take it. */
export async function configDocument(database: Database): Promise<JsonObject & ConfigVersion> {
  const { body, ...version } = await database
    .selectFrom('gateway_snapshot')
    .select([...VERSION, 'body'])
    .executeTakeFirstOrThrow()
  return { ...body, ...version }
}

/** One restore is noticed by many gateways at once, and a gateway that lies must not make all others load their configuration every second. */
const EPOCH_LASTS_S = 10

/** Begins a new epoch in place of one that the database has fallen behind; 'stale' where another did, or did so just now. */
export function startEpoch(database: Database, { epoch, event }: { epoch: string; event: NewEvent }): Promise<'applied' | 'stale'> {
  return inTransaction(database, async (transaction) => {
    const begun = await transaction
      .updateTable('gateway_snapshot')
      .set({ epoch: randomUUID(), epoch_since_at: event.at })
      .where('epoch', '=', epoch)
      .where('epoch_since_at', '<=', event.at - EPOCH_LASTS_S)
      .returning('epoch')
      .executeTakeFirst()
    if (!begun) return 'stale'
    await appendEvents(transaction, GATEWAYS_STREAM, [event])
    return 'applied'
  })
}

/**
 * Makes the snapshot anew from what is in the database, one maker at a time: whoever waited reads what the one before committed, so the
 * newest version is never made of older rows. Answers its version, the same as before where nothing changed.
 */
export function makeSnapshot(
  database: Database,
  made: (transaction: Database, stored: { readonly config: JsonObject; readonly cache_secret: string }) => Promise<JsonObject>,
): Promise<number> {
  return inTransaction(database, async (transaction) => {
    const before = await transaction
      .selectFrom('gateway_snapshot')
      .select(['config', 'cache_secret', 'version', 'digest'])
      .forUpdate()
      .executeTakeFirstOrThrow()
    const content = await made(transaction, before)
    const digest = hash('sha256', canonicalJson(content))
    if (digest === before.digest) return before.version
    const version = before.version + 1
    await transaction
      .updateTable('gateway_snapshot')
      .set({ version, digest, body: jsonText({ ...content, version }) })
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
