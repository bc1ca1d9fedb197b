// Deployments: made and wanted by people here, moved by the holder of their lease (`deployment-leases.ts`).

import type { Replica, ReplicaState, Revision, Rollout } from '@ironlaw/contracts'
import { REPLICAS, REVISIONS, type StoredBodies, storedBodies } from './stored-bodies.ts'
import type { DeploymentSpec } from '@ironlaw/contracts/deployment-api'
import { sql } from 'kysely'
import { requireContent } from './artifact-keepers.ts'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent } from './events.ts'
import { jsonText } from './json-text.ts'
import { inProjects, type ProjectScope } from './project-scope.ts'
import type { Deployment } from './tables.ts'

export const deploymentStream = (id: string): string => `deployment/${id}`

export type NewDeployment = {
  readonly id: string
  readonly name: string
  readonly project: string
  readonly team: string
  readonly spec: DeploymentSpec
  readonly revision: Revision
}

/** 'taken': a deployment of that name lives. */
export function createDeployment(
  database: Database,
  { revision, ...wanted }: NewDeployment,
  event: NewEvent,
): Promise<'created' | 'taken'> {
  return inTransaction(database, async (transaction) => {
    const { at, actor } = event
    const made = await transaction
      .insertInto('deployments')
      .values({
        ...wanted,
        spec: jsonText(wanted.spec),
        desired: 'serve',
        state: 'starting',
        state_since_at: at,
        why: '',
        newest: revision.number,
        stable: revision.number,
        wanted: wanted.spec.replicas,
        replicas_made: 0,
        created_at: at,
        created_by: actor,
        next_look_at: at,
        until_at: 0,
        token: 0,
      })
      .onConflict((conflict) => conflict.column('name').where('state', '<>', 'removed').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!made) return 'taken'
    await putRevision(transaction, wanted, revision)
    await appendEvents(transaction, deploymentStream(wanted.id), [event])
    return 'created'
  })
}

type RevisionOwner = { readonly id: string; readonly project: string }

/** From here on the version that it names is not removed, for as long as the deployment lives. */
async function putRevision(transaction: Database, { id, project }: RevisionOwner, revision: Revision): Promise<void> {
  if (revision.version) await requireContent(transaction, project, revision.version.artifact)
  await transaction
    .insertInto('revisions')
    .values({ deployment_id: id, number: revision.number, body: jsonText(revision) })
    .execute()
}

/** The one with that id, or the one that lives under that name. */
export function deploymentNamed(database: Database, name: string, projects: ProjectScope = '*'): Promise<Deployment | undefined> {
  return database
    .selectFrom('deployments')
    .selectAll()
    .where((row) => row.or([row.and([row('name', '=', name), row('state', '<>', 'removed')]), row('id', '=', name)]))
    .where(inProjects(projects))
    .orderBy(sql`id = ${name}`, 'desc')
    .executeTakeFirst()
}

/** All that live, or all there ever were, by name. */
export function listDeployments(database: Database, which: 'live' | 'all', projects: ProjectScope = '*'): Promise<Deployment[]> {
  const all = database.selectFrom('deployments').selectAll().where(inProjects(projects)).orderBy('name').orderBy('created_at')
  return (which === 'live' ? all.where('state', '<>', 'removed') : all).execute()
}

export type DeploymentCount = { readonly name: string; readonly wanted: number; readonly replicas: ReadonlyMap<ReplicaState, number> }

/** Of those that live, by name: the replicas that are not gone. */
export async function deploymentCounts(database: Database, projects: ProjectScope = '*'): Promise<readonly DeploymentCount[]> {
  const rows = await database
    .selectFrom('deployments')
    .leftJoin('replicas', (join) => join.onRef('replicas.deployment_id', '=', 'deployments.id').on('replicas.state', '<>', 'gone'))
    .select(({ fn }) => ['deployments.name', 'deployments.wanted', 'replicas.state', fn.count<number>('replicas.id').as('count')])
    .where('deployments.state', '<>', 'removed')
    .where(inProjects(projects, 'deployments.project'))
    .groupBy(['deployments.name', 'deployments.wanted', 'replicas.state'])
    .orderBy('deployments.name')
    .execute()
  return [...Map.groupBy(rows, ({ name }) => name)].map(([name, states]) => ({
    name,
    wanted: states[0]?.wanted ?? 0,
    replicas: new Map(states.flatMap(({ state, count }) => (state === null ? [] : [[state, count]]))),
  }))
}

type OrderTarget = { readonly id: string; readonly at: number }

/** Applies a user's change, decided on the current row under its lock. Undefined changes nothing. */
export function orderDeployment<Answer>(
  database: Database,
  { id, at }: OrderTarget,
  decide: (now: Deployment, revisions: readonly Revision[]) => { readonly answer: Answer; readonly change?: DeploymentOrder },
): Promise<Answer> {
  return inTransaction(database, async (transaction) => {
    const row = await transaction.selectFrom('deployments').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow()
    const { answer, change } = decide(row, (await revisionsOf(transaction, [id])).get(id))
    if (!change) return answer
    const { desired, spec, wanted, stable, rollout, revision, events } = change
    await transaction
      .updateTable('deployments')
      .set({
        ...(desired === undefined ? {} : { desired }),
        ...(spec === undefined ? {} : { spec: jsonText(spec) }),
        ...(wanted === undefined ? {} : { wanted }),
        ...(stable === undefined ? {} : { stable }),
        ...(rollout === undefined ? {} : { rollout: jsonText(rollout) }),
        ...(revision === undefined ? {} : { newest: revision.number }),
        // The holder of the lease decided on the row as it was before: what it has yet to write is stale.
        token: sql`token + 1`,
        holder: null,
        until_at: 0,
        next_look_at: at,
      })
      .where('id', '=', id)
      .execute()
    if (revision) await putRevision(transaction, row, revision)
    await appendEvents(transaction, deploymentStream(id), events)
    return answer
  })
}

export type DeploymentOrder = {
  readonly events: readonly [NewEvent, ...NewEvent[]]
  readonly desired?: Deployment['desired']
  readonly spec?: DeploymentSpec
  readonly wanted?: number
  readonly stable?: number
  readonly rollout?: Rollout
  readonly revision?: Revision
}

export async function revisionsOf(database: Database, ids: readonly string[]): Promise<StoredBodies<Revision>> {
  const rows = await database
    .selectFrom('revisions')
    .select(['deployment_id as owner', sql<string>`'number ' || number`.as('name'), 'body'])
    .where(sql<boolean>`deployment_id = any (${ids}::text[])`)
    .orderBy('deployment_id')
    .orderBy('number')
    .execute()
  return storedBodies(REVISIONS, rows)
}

/** Those that are not gone, and those that went since; oldest state first. */
export async function replicasOf(
  database: Database,
  ids: readonly string[],
  { goneSince_at }: { readonly goneSince_at: number },
): Promise<StoredBodies<Replica>> {
  const rows = await database
    .selectFrom('replicas')
    .select(['deployment_id as owner', 'id as name', 'body'])
    .where(sql<boolean>`deployment_id = any (${ids}::text[])`)
    .where((row) => row.or([row('state', '<>', 'gone'), row('since_at', '>=', goneSince_at)]))
    .orderBy('deployment_id')
    .orderBy('since_at')
    .orderBy('id')
    .execute()
  return storedBodies(REPLICAS, rows)
}

/** Newest first. */
export async function lastGoneReplicas(database: Database, id: string, limit: number): Promise<readonly Replica[]> {
  const rows = await database
    .selectFrom('replicas')
    .select(['deployment_id as owner', 'id as name', 'body'])
    .where('deployment_id', '=', id)
    .where('state', '=', 'gone')
    .orderBy('since_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return storedBodies(REPLICAS, rows).get(id)
}
