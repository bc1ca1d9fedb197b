// Profiles as gateways report them: totals of an hour since a process of a gateway started, written in place. They only rise, so a report that is late,
// repeated or out of order changes nothing, and what was lost is part of the next. Bounds keep a gateway with ill will from filling the database.

import { PROFILE_DAYS_KEPT } from '@ironlaw/contracts/profile-api'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'

/** Outages of the control plane are bridged by what gateways keep. */
export const REPORTED_HOURS = 48
/** A gateway whose clock is ahead. */
const HOURS_AHEAD = 2
/** Classes are a closed list of the site: sixteen, and the one of tenants without a class. */
export const MOST_CLASSES = 17
/** Processes of one gateway in one hour: one that restarts every four minutes. */
export const MOST_BOOTS = 16
/** Of one gateway in all: two days of seventy pools with three classes. With the most bytes it is 640 MB, of honest ones some 60. */
export const MOST_WINDOWS_KEPT = 10_000
/** An hour of a busy gateway has 6 to 20 KB. */
export const MOST_WINDOW_BYTES = 64 << 10
/** Two million a second; sums of all that is kept stay exact as doubles. */
export const MOST_COUNTED = 1e10

const LOCK = 'ironlaw profiles'

/** Of one process of one gateway; `counted` is the sum of all counts of the body. */
export type ReportedWindow = {
  readonly pool: string
  readonly class: string
  readonly hour: number
  readonly rows: number
  readonly counted: number
  readonly body: string
}

type ProfileReporter = { readonly gateway: string; readonly boot: string; readonly hour_now: number }

/** How many were written, and how many were dropped because of a bound that no honest gateway reaches. */
export type ProfilesRecorded = { readonly written: number; readonly beyond: number }

export function recordProfiles(
  database: Database,
  reporter: ProfileReporter,
  windows: readonly ReportedWindow[],
): Promise<ProfilesRecorded> {
  const isBounded = ({ body, counted }: ReportedWindow): boolean => body.length <= MOST_WINDOW_BYTES && counted <= MOST_COUNTED
  const bounded = windows.filter(isBounded)
  return inTransaction(database, async (transaction) => {
    await sql`select pg_advisory_xact_lock_shared(hashtextextended(${LOCK}, 0))`.execute(transaction)
    const known = await targetsOf(transaction, reporter, bounded)
    const newer = known.filter(({ window, counted }) => counted === null || window.counted > counted)
    const admitted = await withinBounds(transaction, reporter, newer)
    await writeWindows(transaction, reporter, admitted)
    return { written: admitted.length, beyond: windows.length - bounded.length + newer.length - admitted.length }
  })
}

type Target = {
  readonly window: ReportedWindow
  readonly deployment_id: string
  readonly revision: number
  /** As it is stored; null where it is not yet. */
  readonly counted: number | null
}

/** Those of hours that are open and of revisions that exist. Names are used again: an hour belongs to the deployment that had the name at its end. */
async function targetsOf(
  database: Database,
  { gateway, boot, hour_now }: ProfileReporter,
  windows: readonly ReportedWindow[],
): Promise<readonly Target[]> {
  const { hour: mark } = await database.selectFrom('profile_mark').select('hour').executeTakeFirstOrThrow()
  const least = Math.max(mark, hour_now - REPORTED_HOURS)
  const open = windows.filter(({ hour }) => hour >= least && hour <= hour_now + HOURS_AHEAD)
  const unique = [
    ...new Map(
      open.toSorted((a, b) => a.counted - b.counted).map((each) => [JSON.stringify([each.pool, each.class, each.hour]), each]),
    ).values(),
  ]
  if (unique.length === 0) return []
  const pools = unique.map(({ pool }) => /^([^@]+)@(\d{1,9})(?:-control)?$/.exec(pool))
  const { rows } = await sql<Omit<Target, 'window'> & { at: number }>`
    select given.at, found.id as deployment_id, revisions.number as revision, stored.counted
    from unnest(
      ${unique.map((_, index) => index)}::int[], ${pools.map((pool) => pool?.[1] ?? '')}::text[], ${pools.map((pool) => Number(pool?.[2] ?? 0))}::int[],
      ${unique.map(({ pool }) => pool)}::text[], ${unique.map((each) => each.class)}::text[], ${unique.map(({ hour }) => hour)}::int[]
    ) as given (at, name, revision, pool, class, hour)
    cross join lateral (
      select id from deployments where deployments.name = given.name and created_at < (given.hour + 1) * 3600.0 order by created_at desc limit 1
    ) as found
    join revisions on revisions.deployment_id = found.id and revisions.number = given.revision
    left join profile_windows as stored on stored.deployment_id = found.id and stored.hour = given.hour and stored.revision = given.revision
      and stored.class = given.class and stored.pool = given.pool and stored.gateway = ${gateway} and stored.boot = ${boot}
    order by given.at`.execute(database)
  return rows.flatMap(({ at, ...rest }) => (unique[at] ? [{ window: unique[at], ...rest }] : []))
}

/** What is stored already was within them. Two reports at once may go beyond by what one of them brings. */
async function withinBounds(database: Database, { gateway }: ProfileReporter, targets: readonly Target[]): Promise<readonly Target[]> {
  const fresh = targets.filter(({ counted }) => counted === null)
  if (fresh.length === 0) return targets
  const { rows } = await sql<{ deployment_id: string; hour: number; revision: number; class: string; boots: number }>`
    select deployment_id, hour, revision, class, max(boots)::int as boots from (
      select deployment_id, hour, revision, class, pool, count(*) filter (where gateway = ${gateway}) as boots from profile_windows
      where deployment_id = any (${[...new Set(fresh.map((each) => each.deployment_id))]}::text[])
        and hour = any (${[...new Set(fresh.map(({ window }) => window.hour))]}::int[])
      group by deployment_id, hour, revision, class, pool
    ) as pools group by deployment_id, hour, revision, class`.execute(database)
  const kept = await database
    .selectFrom('profile_windows')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('gateway', '=', gateway)
    .executeTakeFirstOrThrow()
  let room = MOST_WINDOWS_KEPT - kept.count
  const classes = Map.groupBy(rows, placeOf)
  const admitted = fresh.filter((target) => {
    const place = placeOf({ ...target, hour: target.window.hour })
    const known = classes.get(place) ?? []
    const own = known.find((each) => each.class === target.window.class)
    if (room <= 0 || (own ? own.boots >= MOST_BOOTS : known.length >= MOST_CLASSES)) return false
    room -= 1
    if (!own) classes.set(place, [...known, { ...target, hour: target.window.hour, class: target.window.class, boots: 1 }])
    return true
  })
  return [...targets.filter(({ counted }) => counted !== null), ...admitted]
}

const placeOf = ({ deployment_id, hour, revision }: { deployment_id: string; hour: number; revision: number }): string =>
  `${deployment_id} ${hour} ${revision}`

/** In one order, so that two reports of one gateway do not wait for each other in a circle. */
async function writeWindows(database: Database, { gateway, boot }: ProfileReporter, targets: readonly Target[]): Promise<void> {
  if (targets.length === 0) return
  await sql`
    insert into profile_windows (deployment_id, hour, revision, class, pool, gateway, boot, rows, counted, body)
    select deployment_id, hour, revision, class, pool, ${gateway}, ${boot}, rows, counted, body from unnest(
      ${targets.map((each) => each.deployment_id)}::text[], ${targets.map(({ window }) => window.hour)}::int[],
      ${targets.map(({ revision }) => revision)}::int[], ${targets.map(({ window }) => window.class)}::text[],
      ${targets.map(({ window }) => window.pool)}::text[], ${targets.map(({ window }) => window.rows)}::float8[],
      ${targets.map(({ window }) => window.counted)}::float8[], ${targets.map(({ window }) => window.body)}::text[]
    ) as given (deployment_id, hour, revision, class, pool, rows, counted, body)
    order by deployment_id, hour, revision, class, pool
    on conflict (deployment_id, hour, revision, class, pool, gateway, boot)
      do update set rows = excluded.rows, counted = excluded.counted, body = excluded.body
      where excluded.counted > profile_windows.counted`.execute(database)
}

/** Closes the hours before it: alone, so that reports that began earlier are in, and later ones see it. */
export async function closeProfileHours(database: Database, before_hour: number): Promise<void> {
  const { hour } = await database.selectFrom('profile_mark').select('hour').executeTakeFirstOrThrow()
  if (hour >= before_hour) return
  await inTransaction(database, async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`.execute(transaction)
    await transaction.updateTable('profile_mark').set({ hour: before_hour }).where('hour', '<', before_hour).execute()
  })
}

/** Deletes what is older than profiles are kept. */
export async function forgetProfiles(database: Database, hour_now: number): Promise<void> {
  const day = Math.floor(hour_now / 24) - PROFILE_DAYS_KEPT
  await database
    .deleteFrom('profile_hours')
    .where('hour', '<', 24 * day)
    .execute()
  await database.deleteFrom('profile_days').where('day', '<', day).execute()
}
