// What the control plane holds against a node: its strikes, and whether it was taken out of service.

import type { Rates } from '@ironlaw/contracts/report'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, newestEvents, type NewEvent } from './events.ts'
import { jsonText } from './json-text.ts'
import type { Node } from './tables.ts'

type NodeName = Pick<Node, 'cluster' | 'name'>

export const nodeStream = ({ cluster, name }: NodeName): string => `node/${cluster}/${name}`

/** One more strike; answers how many there are now. */
export function strikeNode(database: Database, { cluster, name }: NodeName, event: NewEvent): Promise<number> {
  return inTransaction(database, async (transaction) => {
    const { strikes } = await transaction
      .insertInto('nodes')
      .values({ cluster, name, state: 'in-service', strikes: 1, changed_at: event.at })
      .onConflict((conflict) =>
        conflict.columns(['cluster', 'name']).doUpdateSet({ strikes: sql`nodes.strikes + 1`, changed_at: event.at }),
      )
      .returning('strikes')
      .executeTakeFirstOrThrow()
    await appendEvents(transaction, nodeStream({ cluster, name }), [event])
    return strikes
  })
}

/** How many of a node's newest events are searched for suspicions. */
const EVENTS_READ = 64

/** Who suspected a node since it was last restored, oldest first. */
export async function suspicionsOf(
  database: Database,
  node: NodeName,
): Promise<readonly { readonly run: string; readonly at: number; readonly confirmed: boolean }[]> {
  const events = await newestEvents(database, nodeStream(node), EVENTS_READ)
  const since = events.findLastIndex(({ kind }) => kind === 'node-restored')
  return events
    .slice(since + 1)
    .filter(({ kind }) => kind === 'node-suspected')
    .map(({ at, body }) => ({ run: typeof body['run'] === 'string' ? body['run'] : '', at, confirmed: body['confirmed'] === true }))
}

export function recordDrainWithheld(database: Database, node: NodeName, event: NewEvent): Promise<void> {
  return appendEvents(database, nodeStream(node), [event])
}

export function drainNode(
  database: Database,
  { cluster, name, reason }: NodeName & { readonly reason: string },
  event: NewEvent,
): Promise<void> {
  const drained = { state: 'drained', drained_reason: reason, changed_at: event.at } as const
  return inTransaction(database, async (transaction) => {
    await transaction
      .insertInto('nodes')
      .values({ cluster, name, strikes: 0, ...drained })
      .onConflict((conflict) => conflict.columns(['cluster', 'name']).doUpdateSet(drained))
      .execute()
    await appendEvents(transaction, nodeStream({ cluster, name }), [event])
  })
}

/** Back in service with a clean record. */
export function restoreNode(database: Database, { cluster, name }: NodeName, event: NewEvent): Promise<void> {
  return inTransaction(database, async (transaction) => {
    await transaction
      .updateTable('nodes')
      .set({ state: 'in-service', strikes: 0, drained_reason: null, changed_at: event.at })
      .where('cluster', '=', cluster)
      .where('name', '=', name)
      .execute()
    await appendEvents(transaction, nodeStream({ cluster, name }), [event])
  })
}

export function nodesOf(database: Database, cluster: string): Promise<Node[]> {
  return database.selectFrom('nodes').selectAll().where('cluster', '=', cluster).orderBy('name').execute()
}

export type NodeReadings = {
  /** Of their accelerators. */
  readonly kind: string
  /** By name. */
  readonly rates: ReadonlyMap<string, Rates>
  readonly event: NewEvent
}

/** Each is an event of its node, and the newest of a node is what the next ones are compared with. */
export function recordReadings(database: Database, cluster: string, { kind, rates, event }: NodeReadings): Promise<void> {
  return inTransaction(database, async (transaction) => {
    // In the order of names, so that two never wait for one another.
    for (const [name, reading] of [...rates].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      await transaction
        .insertInto('node_readings')
        .values({ cluster, name, kind, reading: jsonText(reading), at: event.at })
        .onConflict((conflict) => conflict.columns(['cluster', 'name', 'kind']).doUpdateSet({ reading: jsonText(reading), at: event.at }))
        .execute()
      await appendEvents(transaction, nodeStream({ cluster, name }), [{ ...event, body: { ...event.body, kind, ...reading } }])
    }
  })
}

export function readingsOf(
  database: Database,
  cluster: string,
): Promise<{ readonly name: string; readonly kind: string; readonly reading: Rates; readonly at: number }[]> {
  return database.selectFrom('node_readings').select(['name', 'kind', 'reading', 'at']).where('cluster', '=', cluster).execute()
}
