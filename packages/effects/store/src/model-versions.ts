// What the registry of models asks of artifacts of type model: the runs that made them, what those used, and how they were evaluated.

import { sql } from 'kysely'
import type { Artifact } from './artifacts.ts'
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

type EvaluatedModel = { readonly project: string; readonly model: string; readonly limit: number }

/** Newest first, without those that were removed. */
export function evaluationsOf(database: Database, { project, model, limit }: EvaluatedModel): Promise<readonly Artifact[]> {
  return database
    .selectFrom('artifacts')
    .selectAll()
    .where('project', '=', project)
    .where('type', '=', 'evaluation')
    .where(sql<boolean>`facts ->> 'model' = ${model}`)
    .where('removed_at', 'is', null)
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute()
}
