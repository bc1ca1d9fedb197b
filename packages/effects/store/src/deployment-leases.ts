// Leases of deployments: as with runs (`leases.ts`), every write names the token of its lease, and a stale token writes nothing. The write
// names the holder too: a database that lost its last commits gives the same token out again, to another holder.

import type { DeploymentState, Replica, Rollout } from '@ironlaw/contracts'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { deploymentStream } from './deployments.ts'
import { appendEvents, type NewEvent } from './events.ts'
import { jsonText } from './json-text.ts'
import { FURTHEST_S, type LeaseRequest } from './leases.ts'
import type { Deployment } from './tables.ts'

/** Leases deployments that are due; the rows are as they were when the lease was won. */
export function leaseDeployments(database: Database, { holder, at, lease_s, limit }: LeaseRequest): Promise<Deployment[]> {
  return database
    .updateTable('deployments')
    .set({ holder, until_at: at + lease_s, next_look_at: at + lease_s, token: sql`token + 1` })
    .where('id', 'in', (query) =>
      query
        .selectFrom('deployments')
        .select('id')
        .where('state', '<>', 'removed')
        .where((row) => row.or([row('next_look_at', '<=', at), row('next_look_at', '>', at + FURTHEST_S)]))
        .where((row) => row.or([row('until_at', '<=', at), row('until_at', '>', at + FURTHEST_S)]))
        .orderBy('next_look_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute()
}

export type DeploymentChange = {
  readonly at: number
  readonly events: readonly NewEvent[]
  readonly state?: DeploymentState
  readonly why?: string
  readonly stable?: number
  readonly wanted?: number
  readonly replicasMade?: number
  readonly rollout?: Rollout
  readonly memory?: string
  readonly replicas?: readonly Replica[]
  /** Replicas that must be there: where the database has lost one since it was written, the whole change is 'stale'. */
  readonly existing?: readonly Replica[]
  /** Gives the lease back until then; absent, it is kept for a further change. */
  readonly next_look_at?: number
}

type LeasedDeployment = Pick<Deployment, 'id' | 'token' | 'holder'>

/** Changes a deployment under its lease, with the events that tell of it, all or nothing. */
export function applyToDeployment(
  database: Database,
  { id, token, holder }: LeasedDeployment,
  change: DeploymentChange,
): Promise<'applied' | 'stale'> {
  const { at, events, state, why, stable, wanted, replicasMade, rollout, memory, replicas = [], existing = [], next_look_at } = change
  return inTransaction(database, async (transaction) => {
    const updated = await transaction
      .updateTable('deployments')
      .set({
        token,
        ...(state === undefined ? {} : { state, state_since_at: sql`case when state = ${state} then state_since_at else ${at} end` }),
        ...(why === undefined ? {} : { why }),
        ...(stable === undefined ? {} : { stable }),
        ...(wanted === undefined ? {} : { wanted }),
        ...(replicasMade === undefined ? {} : { replicas_made: replicasMade }),
        ...(rollout === undefined ? {} : { rollout: jsonText(rollout) }),
        ...(memory === undefined ? {} : { memory }),
        ...(next_look_at === undefined ? {} : releasedLease(next_look_at)),
      })
      .where('id', '=', id)
      .where('token', '=', token)
      .where('holder', '=', holder ?? '')
      .where(
        sql<boolean>`(select count(*) from replicas where id = any (${existing.map((replica) => replica.id)}::text[])) = ${existing.length}`,
      )
      .returning('id')
      .executeTakeFirst()
    if (!updated) return 'stale'
    await putReplicas(transaction, id, [...replicas, ...existing])
    const [first, ...rest] = events
    if (first) await appendEvents(transaction, deploymentStream(id), [first, ...rest])
    return 'applied'
  })
}

/** A look requested meanwhile is kept. */
const releasedLease = (next_look_at: number) => ({
  holder: null,
  until_at: 0,
  next_look_at: sql<number>`case when next_look_at < until_at then next_look_at else ${next_look_at} end`,
})

async function putReplicas(database: Database, deployment_id: string, replicas: readonly Replica[]): Promise<void> {
  if (replicas.length === 0) return
  await database
    .insertInto('replicas')
    .values(replicas.map((replica) => ({ id: replica.id, deployment_id, body: jsonText(replica) })))
    .onConflict((conflict) => conflict.column('id').doUpdateSet((row) => ({ body: row.ref('excluded.body') })))
    .execute()
}
