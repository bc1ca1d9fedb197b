// What the garbage collection of artifacts keeps in the database. Who registers an artifact holds the lock with others that do, who removes
// objects holds it alone. A key is written down and committed before its object is removed, so that who registers knows which to look for again.

import { type Selectable, sql } from 'kysely'
import type { Database } from './database.ts'
import type { Artifacts, CollectedObjects } from './tables.ts'

const LOCK = 'ironlaw artifacts'

export const lockCollection = (transaction: Database) =>
  sql`select pg_advisory_xact_lock_shared(hashtextextended(${LOCK}, 0))`.execute(transaction)

export const lockCollectionAlone = (transaction: Database) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`.execute(transaction)

/** Under the lock held alone it has no gaps: a registration draws its number while it holds the lock. */
export async function highestArtifact(transaction: Database): Promise<number> {
  const { rows } = await sql<{ highest: number }>`select coalesce(max(sequence), 0) as highest from artifacts`.execute(transaction)
  return rows[0]?.highest ?? 0
}

/** Those whose content is needed, in the order in which they were registered. */
export function neededArtifacts(
  database: Database,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly Pick<Selectable<Artifacts>, 'project' | 'id' | 'sequence'>[]> {
  return database
    .selectFrom('artifacts')
    .select(['project', 'id', 'sequence'])
    .where('sequence', '>', after)
    .where('removed_at', 'is', null)
    .orderBy('sequence')
    .limit(limit)
    .execute()
}

export type CollectedObject = Selectable<CollectedObjects>

export function collectedAmong(database: Database, keys: readonly string[]): Promise<readonly CollectedObject[]> {
  return database
    .selectFrom('collected_objects')
    .selectAll()
    .where(sql<boolean>`key = any (${keys}::text[])`)
    .execute()
}

export async function forgetCollected(database: Database, keys: readonly string[]): Promise<void> {
  if (keys.length > 0)
    await database
      .deleteFrom('collected_objects')
      .where(sql<boolean>`key = any (${keys}::text[])`)
      .execute()
}

type Claim = {
  readonly keys: readonly string[]
  readonly claim: string
  readonly at: number
  /** A claim from before this time is void. */
  readonly void_before: number
}

/** Gives the keys that are now ours to remove: those that nobody else is removing. */
export async function claimObjects(database: Database, { keys, claim, at, void_before }: Claim): Promise<readonly string[]> {
  const { rows } = await sql<{ key: string }>`
    insert into collected_objects (key, at, claim) select key, ${at}::float8, ${claim} from unnest(${keys.toSorted()}::text[]) as key
    on conflict (key) do update set at = excluded.at, claim = excluded.claim
      where collected_objects.claim is null or collected_objects.at < ${void_before}::float8
    returning key`.execute(database)
  return rows.map(({ key }) => key)
}

/** Those of a claim that are still its own. */
export async function claimedObjects(database: Database, claim: string, keys: readonly string[]): Promise<readonly string[]> {
  const rows = await collectedAmong(database, keys)
  return rows.flatMap((row) => (row.claim === claim ? row.key : []))
}

/** Their removal has ended: whoever looks now sees what is there. */
export async function settleClaim(database: Database, claim: string, keys: readonly string[]): Promise<void> {
  await database
    .updateTable('collected_objects')
    .set({ claim: null })
    .where('claim', '=', claim)
    .where(sql<boolean>`key = any (${keys}::text[])`)
    .execute()
}

/** Nobody who looked for objects before this time still registers. */
export async function forgetCollectedBefore(database: Database, at: number): Promise<void> {
  await database.deleteFrom('collected_objects').where('at', '<', at).execute()
}
