// What keeps the content of an artifact from being removed: names, runs that use it, and versions of models that are released or that a deployment
// serves or may go back to. Who makes such a version needed and who removes content exclude each other by a lock of the project.

import { IronlawError } from '@ironlaw/contracts'
import { type Selectable, sql } from 'kysely'
import type { Database } from './database.ts'
import { LIVE_STATES } from './runs.ts'
import type { Artifacts } from './tables.ts'

type ArtifactPlace = Pick<Selectable<Artifacts>, 'project' | 'id'>

const lockText = (project: string): string => `ironlaw kept artifacts ${project}`

/** Shared by those that make versions needed. */
export const lockKept = (transaction: Database, project: string) =>
  sql`select pg_advisory_xact_lock_shared(hashtextextended(${lockText(project)}, 0))`.execute(transaction)

export const lockKeptAlone = (transaction: Database, project: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${lockText(project)}, 0))`.execute(transaction)

/** How a version needs an artifact: it is the version, a run that made the version used it, or the decision in force rests on it. */
type NeededAs = 'version' | 'input' | 'evidence'

/** A version that needs the artifact, and why the version itself must stay. */
export type NeedingVersion = { readonly version: string; readonly as: NeededAs } & (
  | { readonly released: 'released' | 'waived' }
  | { readonly deployment: string; readonly revision: number }
)

const MOST_SHOWN = 5

export async function liveUsers(transaction: Database, { project, id }: ArtifactPlace): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom('artifact_edges')
    .innerJoin('runs', 'runs.id', 'artifact_edges.run_id')
    .select('runs.id')
    .where('artifact_edges.project', '=', project)
    .where('artifact_edges.artifact_id', '=', id)
    .where('artifact_edges.how', '=', 'used')
    .where('runs.state', 'in', LIVE_STATES)
    .orderBy('runs.created_at')
    .limit(MOST_SHOWN)
    .execute()
  return rows.map((run) => run.id)
}

type NeedRow = {
  readonly version: string
  readonly as: NeededAs
  readonly released: 'released' | 'waived' | null
  readonly deployment: string | null
  readonly revision: number | null
}

/** The decision in force is the newest one, without waivers that have ended or that another replaced. A deployment that lives may go back to any of its revisions. */
export async function needingVersions(
  transaction: Database,
  { project, id }: ArtifactPlace,
  now: number,
): Promise<readonly NeedingVersion[]> {
  const { rows } = await sql<NeedRow>`
    with candidate (version, as_what, number) as (
      select ${id}::text, 'version', null::integer
      union all
      select made.artifact_id, 'input', null from artifact_edges used
      join artifact_edges made on made.run_id = used.run_id and made.how = 'made'
      join artifacts model on model.project = made.project and model.id = made.artifact_id and model.type = 'model'
      where used.project = ${project} and used.artifact_id = ${id} and used.how = 'used'
      union all
      select artifact_id, 'evidence', number from decisions
      where project = ${project} and evidence -> 'artifacts' @> ${JSON.stringify([id])}::jsonb
    )
    select candidate.version, candidate.as_what as "as", decided.answer as released, serving.name as deployment, serving.number as revision
    from candidate
    left join lateral (
      select in_force.answer from (
        select answer, number from decisions
        where project = ${project} and artifact_id = candidate.version and answer <> 'approved' and (until_at is null or (until_at > ${now}::float8 and not exists (
          select from decisions later
          where later.project = ${project} and later.artifact_id = candidate.version and later.answer = 'waived' and later.number > decisions.number)))
        order by decisions.number desc limit 1
      ) in_force
      where in_force.answer in ('released', 'waived') and in_force.number = coalesce(candidate.number, in_force.number)
    ) decided on true
    left join lateral (
      select deployments.name, revisions.number from revisions
      join deployments on deployments.id = revisions.deployment_id
      where revisions.body -> 'version' ->> 'artifact' = candidate.version and candidate.as_what <> 'evidence'
        and deployments.project = ${project} and deployments.state <> 'removed'
      order by revisions.number desc limit 1
    ) serving on true
    where decided.answer is not null or serving.name is not null
    limit ${MOST_SHOWN}`.execute(transaction)
  return rows.flatMap(needOf)
}

function needOf({ version, as, released, deployment, revision }: NeedRow): readonly NeedingVersion[] {
  if (deployment !== null && revision !== null) return [{ version, as, deployment, revision }]
  return released === null ? [] : [{ version, as, released }]
}

/** For a revision that names it, in the transaction that makes the revision. */
export async function requireContent(transaction: Database, project: string, id: string): Promise<void> {
  await lockKept(transaction, project)
  const kept = await transaction
    .selectFrom('artifacts')
    .select('id')
    .where('project', '=', project)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  if (!kept)
    throw new IronlawError('IL_CONFLICT', {
      problem: `the content of ${id} was removed`,
      next: 'add it again first, or name another version',
    })
}

type Basis = ArtifactPlace & { readonly evidence: readonly string[] }

export type RemovedBasis = { readonly removed: string; readonly as: Exclude<NeededAs, 'version'> }

/** The first of what a released version rests on whose content was removed. Under the shared lock. */
export async function removedBasis(transaction: Database, { project, id, evidence }: Basis): Promise<RemovedBasis | undefined> {
  const { rows } = await sql<RemovedBasis>`
    select artifacts.id as removed, 'input' as "as" from artifact_edges made
    join artifact_edges used on used.run_id = made.run_id and used.how = 'used'
    join artifacts on artifacts.project = used.project and artifacts.id = used.artifact_id
    where made.project = ${project} and made.artifact_id = ${id} and made.how = 'made' and artifacts.removed_at is not null
    union all
    select id, 'evidence' from artifacts
    where project = ${project} and id = any (${evidence}::text[]) and removed_at is not null
    limit 1`.execute(transaction)
  return rows[0]
}
