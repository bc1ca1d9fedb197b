// The gateways: what each said last, and the one snapshot that all of them follow.

import { hash, randomUUID } from 'node:crypto'
import type { GatewaySync } from '@ironlaw/contracts/gateway-sync'
import { canonicalJson } from '@ironlaw/contracts'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent } from './events.ts'
import { jsonText } from './json-text.ts'
import type { Gateway, JsonObject } from './tables.ts'

export const GATEWAYS_STREAM = 'gateways'

/** All of them are read in every round of the deployments. */
export const MOST_GATEWAYS = 256
/** A gateway that is silent for this long makes room for another. Longer than a clock may be ahead (1 h), or a new one would remove all. */
const FORGOTTEN_S = 7200

type GatewayReport = { readonly id: string; readonly seen_at: number; readonly body: GatewaySync }

export async function recordGateway(database: Database, { id, seen_at, body }: GatewayReport): Promise<'recorded' | 'too-many'> {
  if (body.leaving) {
    await database.deleteFrom('gateways').where('id', '=', id).execute()
    return 'recorded'
  }
  const row = { seen_at, body: jsonText(body) }
  const known = await database.updateTable('gateways').set(row).where('id', '=', id).returning('id').executeTakeFirst()
  if (known) return 'recorded'
  return inTransaction(database, async (transaction) => {
    // One newcomer at a time, so that they are counted right.
    await transaction.selectFrom('gateway_snapshot').select('one').forUpdate().execute()
    await transaction
      .deleteFrom('gateways')
      .where('seen_at', '<', seen_at - FORGOTTEN_S)
      .execute()
    const others = await transaction.selectFrom('gateways').select('id').execute()
    if (others.length >= MOST_GATEWAYS) return 'too-many'
    await transaction
      .insertInto('gateways')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
    return 'recorded'
  })
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

/** Many gateways notice one restore at once, and one that reports false versions must not make all others reload every second. */
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

type SnapshotMaker<Inputs> = {
  /** What it is made of besides the access document. */
  readonly inputs: (transaction: Database) => Promise<Inputs>
  readonly made: (stored: { readonly config: JsonObject; readonly cache_secret: string }, inputs: Inputs) => JsonObject
  /** Of the last one that this process made. */
  readonly last: LastSnapshot | undefined
}

/** `inputs` names what it was made of: while that and the version are the same, there is nothing to do. */
export type LastSnapshot = { readonly inputs: string; readonly version: number }

/**
 * Rebuilds the snapshot from the database, one transaction at a time: one that waited reads what the one before it committed, so the
 * newest version is never made of older rows. The version stays the same where nothing changed.
 */
export function makeSnapshot<Inputs>(database: Database, { inputs, made, last }: SnapshotMaker<Inputs>): Promise<LastSnapshot> {
  return inTransaction(database, async (transaction) => {
    const row = transaction.selectFrom('gateway_snapshot')
    const before = await row.select(['config_etag', 'version', 'digest']).forUpdate().executeTakeFirstOrThrow()
    const given = await inputs(transaction)
    const name = hash('sha256', `${before.config_etag}\n${JSON.stringify(given)}`)
    if (last?.inputs === name && last.version === before.version) return last
    const stored = await row.select(['config', 'cache_secret']).executeTakeFirstOrThrow()
    const content = made(stored, given)
    const digest = hash('sha256', canonicalJson(content))
    if (digest === before.digest) return { inputs: name, version: before.version }
    const version = before.version + 1
    await transaction
      .updateTable('gateway_snapshot')
      .set({ version, digest, body: jsonText({ ...content, version }) })
      .execute()
    return { inputs: name, version }
  })
}

/** What operators decided; undefined before they did. */
export async function accessDocument(database: Database): Promise<{ readonly etag: string; readonly config: JsonObject } | undefined> {
  const { config, config_etag: etag } = await database
    .selectFrom('gateway_snapshot')
    .select(['config', 'config_etag'])
    .executeTakeFirstOrThrow()
  return etag === '' ? undefined : { etag, config }
}

export async function configureGateways(database: Database, config: object, event: NewEvent): Promise<string> {
  const text = jsonText(config)
  const etag = hash('sha256', text).slice(0, 32)
  await inTransaction(database, async (transaction) => {
    await transaction.updateTable('gateway_snapshot').set({ config: text, config_etag: etag }).execute()
    await appendEvents(transaction, GATEWAYS_STREAM, [{ ...event, body: { ...event.body, etag } }])
  })
  return etag
}

type AccessEdit = {
  readonly config: object
  /** Which document the writer has seen; '*' is any, undefined none. */
  readonly seen: string | undefined
  readonly event: (before: JsonObject) => NewEvent
}

export type AccessEditResult = { readonly answer: 'stored' | 'unseen' | 'stale'; readonly etag: string }

/** Replaces the document only where the writer has seen the one that is there. */
export function replaceAccess(database: Database, { config, seen, event }: AccessEdit): Promise<AccessEditResult> {
  return inTransaction(database, async (transaction) => {
    const { config: before, config_etag: etag } = await transaction
      .selectFrom('gateway_snapshot')
      .select(['config', 'config_etag'])
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (seen === undefined && etag !== '') return { answer: 'unseen', etag }
    if (seen !== undefined && seen !== '*' && seen !== etag) return { answer: 'stale', etag }
    return { answer: 'stored', etag: await configureGateways(transaction, config, event(before)) }
  })
}
