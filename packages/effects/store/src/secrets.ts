// Secrets of projects, sealed before they come here. Who reads a secret to seal it anew and who changes it exclude each other by one lock.

import { type Selectable, sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent } from './events.ts'
import type { Secrets } from './tables.ts'

export type SecretVersion = Selectable<Secrets>

/** A version with a value. */
export type SealedVersion = SecretVersion & { readonly sealed: string; readonly key_id: string }

export type SecretName = { readonly project: string; readonly name: string }

export const secretsStream = (project: string): string => `secrets/${project}`

/** Jobs that were started with an older value may still print it: it is needed to be recognised. */
export const VERSIONS_KEPT = 4

const LOCK = 'ironlaw secrets'

/** While the keys are being changed, nobody seals. */
const lockKeys = (transaction: Database) => sql`select pg_advisory_xact_lock_shared(hashtextextended(${LOCK}, 0))`.execute(transaction)

const lockKeysAlone = (transaction: Database) => sql`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`.execute(transaction)

type Sealer = (version: number) => Promise<{ readonly sealed: string; readonly key_id: string }>

type NewSecret = SecretName & { readonly seal: Sealer; readonly event: Omit<NewEvent, 'body'> }

/** `seal` is called under the lock, with the version that this one will have. */
export function putSecret(database: Database, { project, name, seal, event }: NewSecret): Promise<SecretVersion> {
  return inTransaction(database, async (transaction) => {
    await lockKeys(transaction)
    await lockName(transaction, { project, name })
    const version = (await newestVersion(transaction, { project, name })) + 1
    const row = { project, name, version, ...(await seal(version)), created_at: event.at, created_by: event.actor }
    await transaction.insertInto('secrets').values(row).execute()
    await ofName(transaction, { project, name })
      .where('version', '<=', version - VERSIONS_KEPT)
      .execute()
    await appendEvents(transaction, secretsStream(project), [{ ...event, body: { project, name, version } }])
    return row
  })
}

type Removal = SecretName & { readonly event: Omit<NewEvent, 'body'> }

/** Every value of it goes; its number stays, so that a value of before cannot be put in the place of one that comes after. */
export function removeSecret(database: Database, { project, name, event }: Removal): Promise<'removed' | 'unknown'> {
  return inTransaction(database, async (transaction) => {
    await lockName(transaction, { project, name })
    const newest = (await newestSecrets(transaction, project)).find((each) => each.name === name)
    if (!newest) return 'unknown'
    await ofName(transaction, { project, name }).execute()
    const version = newest.version + 1
    await transaction
      .insertInto('secrets')
      .values({ project, name, version, sealed: null, key_id: null, created_at: event.at, created_by: event.actor })
      .execute()
    await appendEvents(transaction, secretsStream(project), [{ ...event, body: { project, name, version: newest.version } }])
    return 'removed'
  })
}

const lockName = (transaction: Database, { project, name }: SecretName) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`${LOCK} ${project}/${name}`}, 0))`.execute(transaction)

const ofName = (database: Database, { project, name }: SecretName) =>
  database.deleteFrom('secrets').where('project', '=', project).where('name', '=', name)

async function newestVersion(database: Database, { project, name }: SecretName): Promise<number> {
  const newest = database.selectFrom('secrets').select('version').where('project', '=', project).where('name', '=', name)
  return (await newest.orderBy('version', 'desc').limit(1).executeTakeFirst())?.version ?? 0
}

const isSealed = (row: SecretVersion): row is SealedVersion => row.sealed !== null && row.key_id !== null

/** The newest version of each secret that has a value, by name. */
export async function newestSecrets(database: Database, project: string): Promise<readonly SealedVersion[]> {
  const rows = await database
    .selectFrom('secrets')
    .distinctOn('name')
    .selectAll()
    .where('project', '=', project)
    .orderBy('name')
    .orderBy('version', 'desc')
    .execute()
  return rows.filter(isSealed)
}

/** Also the older versions that are kept. */
export async function allVersions(database: Database, project: string): Promise<readonly SealedVersion[]> {
  const rows = database.selectFrom('secrets').selectAll().where('project', '=', project)
  return (await rows.orderBy('name').orderBy('version').execute()).filter(isSealed)
}

/** Changes with every change of the project's secrets, and of their keys. */
export async function secretsMark(database: Database, project: string): Promise<string> {
  const { rows } = await sql<{ mark: string }>`
    select count(*) || ' ' || coalesce(max(created_at)::text, '') || ' ' || coalesce(sum(version), 0) as mark
    from secrets where project = ${project}`.execute(database)
  return rows[0]?.mark ?? ''
}

export async function sealingKeys(database: Database): Promise<readonly string[]> {
  const rows = await database.selectFrom('secrets').select('key_id').distinct().where('key_id', 'is not', null).orderBy('key_id').execute()
  return rows.flatMap(({ key_id }) => key_id ?? [])
}

export async function projectsWithSecrets(database: Database): Promise<readonly string[]> {
  const rows = await database.selectFrom('secrets').select('project').distinct().orderBy('project').execute()
  return rows.map(({ project }) => project)
}

type Rewrap = {
  /** Of one version: its new text and key. */
  readonly rewrap: (row: SealedVersion) => Promise<{ readonly sealed: string; readonly key_id: string }>
  /** Under the lock, before the first. */
  readonly before: () => Promise<void>
  readonly event: (count: number) => NewEvent
}

export const SECRETS_KEY_STREAM = 'secrets-key'

/** All versions of all projects, or none. */
export function rewrapSecrets(database: Database, { rewrap, before, event }: Rewrap): Promise<number> {
  return inTransaction(database, async (transaction) => {
    await lockKeysAlone(transaction)
    await before()
    const rows = (await transaction.selectFrom('secrets').selectAll().where('sealed', 'is not', null).execute()).filter(isSealed)
    for (const row of rows) {
      const { project, name, version } = row
      await transaction
        .updateTable('secrets')
        .set(await rewrap(row))
        .where('project', '=', project)
        .where('name', '=', name)
        .where('version', '=', version)
        .execute()
    }
    await appendEvents(transaction, SECRETS_KEY_STREAM, [event(rows.length)])
    return rows.length
  })
}
