// What the registry of models asks of artifacts of type model: the runs that made them, what those used, and how they were evaluated.

import type { VersionState } from '@ironlaw/contracts/model-registry'
import { type RawBuilder, sql } from 'kysely'
import { type Artifact, type ArtifactPage, artifactPage } from './artifacts.ts'
import type { Database } from './database.ts'
import type { Run } from './tables.ts'

export type MakerRow = Pick<Run, 'id' | 'plan_id' | 'spec' | 'program'>

/** By id. */
export async function makersOf(database: Database, run_ids: readonly string[]): Promise<ReadonlyMap<string, MakerRow>> {
  const rows = await database
    .selectFrom('runs')
    .select(['id', 'plan_id', 'spec', 'program'])
    .where(sql<boolean>`id = any (${run_ids}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** As many as a run can name. */
const MOST_DATASETS = 100

/** Datasets by the run that used them. */
export async function datasetsUsed(database: Database, run_ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ run_id: string; datasets: readonly string[] }>`
    select run.id as run_id, array_agg(used.artifact_id order by used.artifact_id) as datasets
    from unnest(${run_ids}::text[]) as run (id)
    cross join lateral (
      select edge.artifact_id from artifact_edges edge
      join artifacts artifact on artifact.project = edge.project and artifact.id = edge.artifact_id
      where edge.run_id = run.id and edge.how = 'used' and artifact.type = 'dataset' order by edge.artifact_id limit ${MOST_DATASETS}
    ) used
    group by run.id`.execute(database)
  return new Map(rows.map(({ run_id, datasets }) => [run_id, datasets]))
}

type AboutModel = {
  readonly project: string
  /** Which the fact "model" names. */
  readonly model: string
  readonly type: 'evaluation' | 'profile'
  readonly limit: number
}

/** Newest first, without those that were removed. */
export function artifactsAbout(database: Database, { project, model, type, limit }: AboutModel): Promise<readonly Artifact[]> {
  return (
    database
      .selectFrom('artifacts')
      .selectAll()
      .where('project', '=', project)
      // As the partial index has it, so not a parameter.
      .where(sql<boolean>`type = ${sql.lit(type)}`)
      .where(sql<boolean>`facts ->> 'model' = ${model}`)
      .where('removed_at', 'is', null)
      .orderBy('sequence', 'desc')
      .limit(limit)
      .execute()
  )
}

/** What names pointed at each of them, as chat@2: newest first. */
export async function versionNames(
  database: Database,
  { project, ids, limit }: { readonly project: string; readonly ids: readonly string[]; readonly limit: number },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ id: string; versions: readonly string[] }>`
    select model.id, array_agg(named.name || '@' || named.version order by named.at desc, named.name) as versions
    from unnest(${ids}::text[]) as model (id)
    cross join lateral (
      select name, version, at from artifact_names where project = ${project} and artifact_id = model.id order by at desc, name limit ${limit}
    ) named
    group by model.id`.execute(database)
  return new Map(rows.map(({ id, versions }) => [id, versions]))
}

type EvaluatedModels = { readonly project: string; readonly models: readonly string[]; readonly limit: number }

/** By model; those that have none are left out. */
export async function evaluationCounts(
  database: Database,
  { project, models, limit }: EvaluatedModels,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ model: string; evaluations: number }>`
    select model.id as model, count(*)::int as evaluations
    from unnest(${models}::text[]) as model (id)
    cross join lateral (
      select from artifacts where project = ${project} and type = 'evaluation' and facts ->> 'model' = model.id and removed_at is null limit ${limit}
    ) evaluation
    group by model.id`.execute(database)
  return new Map(rows.map(({ model, evaluations }) => [model, evaluations]))
}

type VersionFilter = {
  readonly project: string
  /** That points at the version, or did. */
  readonly name?: string
  readonly state?: { readonly is: VersionState; readonly at: number }
}

/** Newest first, without those that were removed. */
export function listVersions(
  database: Database,
  { project, name, state }: VersionFilter,
  page: ArtifactPage,
): Promise<readonly Artifact[]> {
  let query = artifactPage(database, { project, type: 'model' }, page)
  if (name !== undefined)
    query = query.where(
      sql<boolean>`exists (select from artifact_names named where named.project = ${project} and named.name = ${name} and named.artifact_id = artifacts.id)`,
    )
  if (state) query = query.where(stateIs(state.is, state.at))
  return query.execute()
}

/** What `versionState` of the policies says, as an index answers it; a test holds them equal. */
function stateIs(state: VersionState, at: number): RawBuilder<boolean> {
  if (state === 'waived') return sql<boolean>`waived_until > ${at}`
  const decided = state === 'candidate' ? sql`decided is null` : sql`decided = ${state}`
  return sql<boolean>`${decided} and (waived_until is null or waived_until <= ${at})`
}
