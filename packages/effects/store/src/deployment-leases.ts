// Leases of deployments: as with runs (`leases.ts`), every write names the token of its lease, and a stale token writes nothing. The write
// names the holder too: a database that lost its last commits gives the same token out again, to another holder.

import type { DeploymentState, Replica, Rollout } from '@ironlaw/contracts'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { deploymentStream } from './deployments.ts'
import { appendEvents, type NewEvent } from './events.ts'
import { jsonText } from './json-text.ts'
import { type LeaseRequest, nextLook, takeDue } from './lease-columns.ts'
import type { Deployment } from './tables.ts'

/** The rows are as they were when the lease was won. */
export const leaseDeployments = (database: Database, request: LeaseRequest): Promise<readonly Deployment[]> =>
  takeDue(database, 'deployments', request)

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
        ...(next_look_at !== undefined && { holder: null, until_at: 0, next_look_at: nextLook('deployments', sql`${next_look_at}`) }),
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

async function putReplicas(database: Database, deployment_id: string, replicas: readonly Replica[]): Promise<void> {
  if (replicas.length === 0) return
  await database
    .insertInto('replicas')
    .values(replicas.map((replica) => ({ id: replica.id, deployment_id, body: jsonText(replica) })))
    .onConflict((conflict) => conflict.column('id').doUpdateSet((row) => ({ body: row.ref('excluded.body') })))
    .execute()
}
