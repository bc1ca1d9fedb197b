// Rollouts of revisions that name a version, with how each ended: what production said about versions that were judged before.

import { sql } from 'kysely'
import type { Database } from './database.ts'

export type VersionRollout = {
  readonly deployment: string
  readonly revision: number
  /** Id of the artifact. */
  readonly version: string
  readonly created_at: number
  readonly ended: 'rollout-promoted' | 'rollout-rolled-back'
  readonly ended_at: number
  readonly why: string
  /** Who ordered this end; null where the rollout's rule decided. */
  readonly ordered_by: string | null
}

/** Newest first. The kinds are part of the text of the query, as the index has them. */
export async function rolloutsOfVersions(
  database: Database,
  { project, limit }: { readonly project: string; readonly limit: number },
): Promise<readonly VersionRollout[]> {
  const { rows } = await sql<VersionRollout>`
    select deployments.name as deployment, revisions.number as revision, revisions.body -> 'version' ->> 'artifact' as version,
      (revisions.body ->> 'createdAt')::float8 as created_at, ended.kind as ended, ended.at as ended_at, coalesce(ended.body ->> 'why', '') as why,
      (
        select actor from events
        where stream = ended.stream and sequence < ended.sequence and (body ->> 'revision')::int = revisions.number
          and kind = case ended.kind when 'rollout-promoted' then 'rollout-promote-wanted' else 'rollout-rollback-wanted' end
        order by sequence desc limit 1
      ) as ordered_by
    from deployments
    join revisions on revisions.deployment_id = deployments.id and revisions.body -> 'version' is not null
    join lateral (
      select stream, sequence, at, kind, body from events
      where stream = 'deployment/' || deployments.id and kind in ('rollout-promoted', 'rollout-rolled-back')
        and (body ->> 'revision')::int = revisions.number
      order by sequence desc limit 1
    ) ended on true
    where deployments.project = ${project}
    order by ended.at desc, deployments.name limit ${limit}`.execute(database)
  return rows
}
