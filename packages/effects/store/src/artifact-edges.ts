// What runs used and made, and the walk along it: what an artifact or a run came from, and what came of it.

import { IronlawError, type RunState } from '@ironlaw/contracts'
import { type Selectable, sql } from 'kysely'
import type { Database } from './database.ts'
import type { ArtifactEdges, Artifacts } from './tables.ts'

type Edge = Selectable<ArtifactEdges>

type NewEdges = Pick<Edge, 'run_id' | 'project' | 'how' | 'at'> & { readonly artifacts: readonly string[] }

/** Gives those that are new. In the transaction that makes the run, so that nobody removes what it uses meanwhile. */
export async function addEdges(database: Database, { artifacts, ...edge }: NewEdges): Promise<readonly string[]> {
  if (artifacts.length === 0) return []
  if (edge.how === 'used') await keepUsed(database, edge.project, artifacts)
  const rows = await database
    .insertInto('artifact_edges')
    .values([...new Set(artifacts)].map((artifact_id) => ({ ...edge, artifact_id })))
    .onConflict((conflict) => conflict.columns(['run_id', 'how', 'artifact_id']).doNothing())
    .returning('artifact_id')
    .execute()
  return rows.map(({ artifact_id }) => artifact_id)
}

/** All are locked, since one whose removal is not committed yet looks as if it were there. */
async function keepUsed(database: Database, project: string, ids: readonly string[]): Promise<void> {
  const rows = await database
    .selectFrom('artifacts')
    .select(['id', 'removed_at'])
    .where('project', '=', project)
    .where(sql<boolean>`id = any (${ids}::text[])`)
    .orderBy('id')
    .forShare()
    .execute()
  const removed = rows.find(({ removed_at }) => removed_at !== null)
  if (removed)
    throw new IronlawError('IL_CONFLICT', {
      problem: `artifact ${removed.id} was removed`,
      next: 'register it again first, or use another',
    })
}

/** Artifacts by run, in the order of their ids. */
export async function edgesOf(
  database: Database,
  run_ids: readonly string[],
  how: Edge['how'],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await database
    .selectFrom('artifact_edges')
    .select(['run_id', 'artifact_id'])
    .where(sql<boolean>`run_id = any (${run_ids}::text[])`)
    .where('how', '=', how)
    .orderBy('artifact_id')
    .execute()
  return new Map(
    Object.entries(Object.groupBy(rows, ({ run_id }) => run_id)).map(([run, edges]) => [
      run,
      edges?.map(({ artifact_id }) => artifact_id) ?? [],
    ]),
  )
}

type TraceStart = { readonly project: string; readonly direction: 'up' | 'down' } & (
  | { readonly artifact: string }
  | { readonly run: string }
)

type Trace = {
  readonly artifacts: readonly Pick<Selectable<Artifacts>, 'id' | 'type' | 'bytes' | 'created_at' | 'removed_at'>[]
  readonly runs: readonly { readonly id: string; readonly name: string; readonly state: RunState; readonly created_at: number }[]
  readonly edges: readonly { readonly run: string; readonly artifact: string; readonly how: Edge['how'] }[]
  /** There is more than is shown. */
  readonly truncated: boolean
}

/** More of a graph than this is neither read nor drawn. */
const TRACE_LIMITS = { nodes: 1000, edges: 5000 }

/** Nearest first. */
export async function traceLineage(database: Database, start: TraceStart): Promise<Trace> {
  const reached = await reachedFrom(database, start)
  const nodes = reached.slice(0, TRACE_LIMITS.nodes)
  const run_ids = nodes.flatMap(({ run_id }) => run_id ?? [])
  const artifact_ids = nodes.flatMap(({ artifact_id }) => artifact_id ?? [])
  const [edges, artifacts, runs] = await Promise.all([
    edgesAmong(database, run_ids, artifact_ids),
    artifactsOf(database, start.project, artifact_ids),
    runsOf(database, run_ids),
  ])
  return {
    artifacts: inOrder(artifact_ids, artifacts),
    runs: inOrder(run_ids, runs),
    edges: edges.slice(0, TRACE_LIMITS.edges),
    truncated: reached.length > nodes.length || edges.length > TRACE_LIMITS.edges,
  }
}

type Reached = { readonly run_id: string | null; readonly artifact_id: string | null }

/** The walk stops as soon as the limit is reached: PostgreSQL fetches from a recursive query only what is asked of it. */
async function reachedFrom(database: Database, start: TraceStart): Promise<readonly Reached[]> {
  const { project, direction } = start
  const [toRun, toArtifact] = direction === 'up' ? ['made', 'used'] : ['used', 'made']
  const run = 'run' in start ? start.run : null
  const artifact = 'artifact' in start ? start.artifact : null
  const { rows } = await sql<Reached>`
    with recursive reached (run_id, artifact_id) as (
      select ${run}::text, ${artifact}::text
      union
      select next.run_id, next.artifact_id from reached cross join lateral (
        select edge.run_id, null::text as artifact_id from artifact_edges edge
        where edge.project = ${project} and edge.artifact_id = reached.artifact_id and edge.how = ${toRun}
        union all
        select null::text, edge.artifact_id from artifact_edges edge
        where edge.project = ${project} and edge.run_id = reached.run_id and edge.how = ${toArtifact}
      ) next
    )
    select run_id, artifact_id from reached limit ${TRACE_LIMITS.nodes + 1}`.execute(database)
  return rows
}

/** Of each run only so many: one may have used a million. */
async function edgesAmong(database: Database, run_ids: readonly string[], artifact_ids: readonly string[]): Promise<Trace['edges']> {
  const { rows } = await sql<Trace['edges'][number]>`
    select edge.run_id as run, edge.artifact_id as artifact, edge.how
    from unnest(${run_ids}::text[]) as run (id), unnest(array['used', 'made']) as kind (how)
    cross join lateral (
      select * from artifact_edges each where each.run_id = run.id and each.how = kind.how order by each.artifact_id limit ${TRACE_LIMITS.edges + 1}
    ) edge
    where edge.artifact_id = any (${artifact_ids}::text[])
    limit ${TRACE_LIMITS.edges + 1}`.execute(database)
  return rows
}

const artifactsOf = (database: Database, project: string, ids: readonly string[]) =>
  database
    .selectFrom('artifacts')
    .select(['id', 'type', 'bytes', 'created_at', 'removed_at'])
    .where('project', '=', project)
    .where(sql<boolean>`id = any (${ids}::text[])`)
    .execute()

const runsOf = (database: Database, ids: readonly string[]) =>
  database
    .selectFrom('runs')
    .select(['id', 'name', 'state', 'created_at'])
    .where(sql<boolean>`id = any (${ids}::text[])`)
    .execute()

function inOrder<Row extends { readonly id: string }>(ids: readonly string[], rows: readonly Row[]): readonly Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
