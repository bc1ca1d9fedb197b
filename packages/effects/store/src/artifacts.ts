// Artifacts of projects, their names and their edges to runs. Manifests and bytes are in the storage; here is what is asked of them. Locks are
// taken in the order kept, collection, name, artifact, stream.

import type { ArtifactType } from '@ironlaw/contracts/artifact'
import { type Selectable, sql } from 'kysely'
import { lockCollection } from './artifact-collection.ts'
import { addEdges } from './artifact-edges.ts'
import { liveUsers, lockKeptAlone, type NeedingVersion, needingVersions } from './artifact-keepers.ts'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent } from './events.ts'
import { jsonText } from './json-text.ts'
import type { ArtifactNames, Artifacts, JsonObject } from './tables.ts'

export type Artifact = Selectable<Artifacts>

export type ArtifactName = Selectable<ArtifactNames>

/** Who did it, and when. */
export type ArtifactAuthor = Pick<NewEvent, 'actor' | 'at'>

export type NewArtifact = {
  readonly project: string
  readonly id: string
  readonly type: ArtifactType
  readonly bytes: number
  readonly files: number
  readonly leaves: number
  readonly facts: JsonObject
  readonly name?: string
  /** A run of the project. */
  readonly made_by?: string
}

export const artifactsStream = (project: string): string => `artifacts/${project}`

/** Idempotent. One that was removed is registered anew: its sequence rises, for who collects garbage to see it. */
export function registerArtifact(database: Database, artifact: NewArtifact, author: ArtifactAuthor): Promise<Artifact> {
  const { project, id, name, made_by } = artifact
  return inTransaction(database, async (transaction) => {
    await lockCollection(transaction)
    if (name !== undefined) await lockName(transaction, { project, name })
    const { artifact: row, wasKnown } = await putArtifact(transaction, artifact, author)
    const isMaker = made_by !== undefined && (await addMaker(transaction, { project, id, made_by }, author.at))
    // The event of a registration names the run already.
    if (isMaker && wasKnown) await append(transaction, project, { kind: 'artifact-made', ...author, body: { artifact: id, run: made_by } })
    if (name !== undefined) await pointName(transaction, { project, name, artifact_id: id }, author)
    return isMaker ? { ...row, made_by: row.made_by ?? made_by } : row
  })
}

type Maker = { readonly project: string; readonly id: string; readonly made_by: string }

/** Whether it was not known as one; the first stays in the row. */
async function addMaker(transaction: Database, { project, id, made_by }: Maker, at: number): Promise<boolean> {
  const [added] = await addEdges(transaction, { run_id: made_by, project, artifacts: [id], how: 'made', at })
  if (added === undefined) return false
  await ofIdToChange(transaction, { project, id }).set({ made_by }).where('made_by', 'is', null).execute()
  return true
}

type PutArtifact = { readonly artifact: Artifact; readonly wasKnown: boolean }

async function putArtifact(transaction: Database, artifact: NewArtifact, { actor, at }: ArtifactAuthor): Promise<PutArtifact> {
  const { name: _, facts, ...summary } = artifact
  const row = { ...summary, facts: jsonText(facts), created_at: at, created_by: actor }
  const inserted = await transaction
    .insertInto('artifacts')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['project', 'id'])
        .doUpdateSet({ removed_at: null, sequence: sql`nextval('artifact_sequence')` })
        .where('artifacts.removed_at', 'is not', null),
    )
    .returningAll()
    .executeTakeFirst()
  if (!inserted) return { artifact: await ofId(transaction, artifact).forUpdate().executeTakeFirstOrThrow(), wasKnown: true }
  const { project, id, type, bytes, files, made_by } = artifact
  const body = { artifact: id, type, bytes, files, ...(made_by !== undefined && { run: made_by }) }
  await append(transaction, project, { kind: 'artifact-registered', actor, at, body })
  return { artifact: inserted, wasKnown: false }
}

const append = (transaction: Database, project: string, event: NewEvent): Promise<void> =>
  appendEvents(transaction, artifactsStream(project), [event])

type ArtifactPlace = { readonly project: string; readonly id: string }

const ofId = (database: Database, { project, id }: ArtifactPlace) =>
  database.selectFrom('artifacts').selectAll().where('project', '=', project).where('id', '=', id)

const ofIdToChange = (database: Database, { project, id }: ArtifactPlace) =>
  database.updateTable('artifacts').where('project', '=', project).where('id', '=', id)

type NamePlace = { readonly project: string; readonly name: string }

const lockName = (transaction: Database, { project, name }: NamePlace) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`ironlaw artifact ${project}/${name}`}, 0))`.execute(transaction)

const ofName = (database: Database, { project, name }: NamePlace) =>
  database.selectFrom('artifact_names').selectAll().where('project', '=', project).where('name', '=', name).orderBy('version', 'desc')

type Pointing = NamePlace & { readonly artifact_id: string }

/** Under the lock of the name. */
async function pointName(
  transaction: Database,
  { project, name, artifact_id }: Pointing,
  { actor, at }: ArtifactAuthor,
): Promise<ArtifactName> {
  const newest = await ofName(transaction, { project, name }).limit(1).executeTakeFirst()
  if (newest?.artifact_id === artifact_id) return newest
  const row = { project, name, version: (newest?.version ?? 0) + 1, artifact_id, at, by: actor }
  await transaction.insertInto('artifact_names').values(row).execute()
  const body = { name, version: row.version, artifact: artifact_id, ...(newest && { before: newest.artifact_id }) }
  await append(transaction, project, { kind: 'name-set', actor, at, body })
  return row
}

/** 'removed': its content may be gone, so that no name may point at it. */
export function nameArtifact(
  database: Database,
  pointing: Pointing,
  author: ArtifactAuthor,
): Promise<ArtifactName | 'unknown' | 'removed'> {
  const { project, artifact_id } = pointing
  return inTransaction(database, async (transaction) => {
    await lockName(transaction, pointing)
    const artifact = await ofId(transaction, { project, id: artifact_id }).forUpdate().executeTakeFirst()
    if (!artifact) return 'unknown'
    return artifact.removed_at === null ? pointName(transaction, pointing, author) : 'removed'
  })
}

type NamesPage = { readonly limit: number; readonly before?: number }

/** What a name pointed at, newest first. */
export function artifactNames(database: Database, name: NamePlace, { limit, before }: NamesPage): Promise<readonly ArtifactName[]> {
  const all = ofName(database, name).limit(limit)
  return (before === undefined ? all : all.where('version', '<', before)).execute()
}

/** Of those given: the names that point at each now. */
export async function currentNames(
  database: Database,
  project: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ artifact_id: string; name: string }>`
    select each.artifact_id, each.name from artifact_names each
    where each.project = ${project} and each.artifact_id = any (${ids}::text[])
      and not exists (
        select 1 from artifact_names later
        where later.project = each.project and later.name = each.name and later.version > each.version)
    order by each.name`.execute(database)
  const names = new Map<string, string[]>()
  for (const { artifact_id, name } of rows) names.set(artifact_id, [...(names.get(artifact_id) ?? []), name])
  return names
}

/** What needs an artifact. */
export type ArtifactNeed =
  | { readonly names: readonly string[] }
  | { readonly runs: readonly string[] }
  | { readonly versions: readonly NeedingVersion[] }

/** Its row, its edges and what pointed at it stay. Refused where names, runs that have not ended or versions that must stay need it. */
export function removeArtifact(
  database: Database,
  place: ArtifactPlace,
  { actor, at }: ArtifactAuthor,
): Promise<Artifact | 'unknown' | ArtifactNeed> {
  const { project, id } = place
  return inTransaction(database, async (transaction) => {
    await lockKeptAlone(transaction, project)
    const artifact = await ofId(transaction, place).forUpdate().executeTakeFirst()
    if (!artifact) return 'unknown'
    if (artifact.removed_at !== null) return artifact
    const names = (await currentNames(transaction, project, [id])).get(id)
    if (names) return { names }
    const runs = await liveUsers(transaction, place)
    if (runs.length > 0) return { runs }
    const versions = await needingVersions(transaction, place, at)
    if (versions.length > 0) return { versions }
    await ofIdToChange(transaction, place).set({ removed_at: at }).execute()
    await append(transaction, project, { kind: 'artifact-removed', actor, at, body: { artifact: id } })
    return { ...artifact, removed_at: at }
  })
}

type FoundArtifact =
  | { readonly found: 'one'; readonly artifact: Artifact }
  | { readonly found: 'none' }
  /** Some of those whose ids begin so. */
  | { readonly found: 'several'; readonly ids: readonly string[] }

const CANDIDATES = 5

/** What an id, or its beginning, looks like; no name may look so. */
export const ARTIFACT_ID_BEGINNING = /^art-[0-9a-f]{8,64}$/

/** By its id, the beginning of its id, a name, or a name with its version (corpus@3). */
export async function findArtifact(database: Database, project: string, reference: string): Promise<FoundArtifact> {
  if (ARTIFACT_ID_BEGINNING.test(reference)) return findByBeginning(database, project, reference)
  const [name = '', version] = reference.split('@')
  const names = ofName(database, { project, name }).limit(1)
  const pointing = await (version === undefined ? names : names.where('version', '=', Number(version))).executeTakeFirst()
  const artifact = pointing && (await ofId(database, { project, id: pointing.artifact_id }).executeTakeFirst())
  return artifact ? { found: 'one', artifact } : { found: 'none' }
}

async function findByBeginning(database: Database, project: string, beginning: string): Promise<FoundArtifact> {
  // All characters of an id are before "g".
  const artifacts = await database
    .selectFrom('artifacts')
    .selectAll()
    .where('project', '=', project)
    .where(sql<boolean>`id collate "C" >= ${beginning}`)
    .where(sql<boolean>`id collate "C" < ${`${beginning}g`}`)
    .orderBy(sql`id collate "C"`)
    .limit(CANDIDATES)
    .execute()
  const [artifact, ...others] = artifacts
  if (!artifact) return { found: 'none' }
  return others.length === 0 ? { found: 'one', artifact } : { found: 'several', ids: artifacts.map(({ id }) => id) }
}

type ArtifactFilter = { readonly project: string; readonly type?: ArtifactType }

export type ArtifactPage = { readonly limit: number; readonly before?: number }

/** Newest first, without those that were removed; the sequence of the last is where the next page begins. */
export const listArtifacts = (database: Database, filter: ArtifactFilter, page: ArtifactPage): Promise<readonly Artifact[]> =>
  artifactPage(database, filter, page).execute()

export function artifactPage(database: Database, { project, type }: ArtifactFilter, { limit, before }: ArtifactPage) {
  let query = database.selectFrom('artifacts').selectAll().where('project', '=', project).where('removed_at', 'is', null)
  if (type !== undefined) query = query.where('type', '=', type)
  if (before !== undefined) query = query.where('sequence', '<', before)
  return query.orderBy('sequence', 'desc').limit(limit)
}
