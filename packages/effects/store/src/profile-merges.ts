// Closed hours of profiles, over gateways and their processes, and the days of such hours. One transaction each: what was merged is gone in the moment in
// which its sum is there, wherever a control plane is stopped. One merge at a time, whoever does it.

import type { HourFigures } from '@ironlaw/contracts/profile-api'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { jsonText } from './json-text.ts'

const LOCK = 'ironlaw profile merges'

export type ProfileHour = { readonly deployment_id: string; readonly hour: number }
export type ProfileDay = { readonly deployment_id: string; readonly day: number }

/** Closed hours with windows, oldest first. */
export async function dueProfileHours(database: Database, limit: number): Promise<readonly ProfileHour[]> {
  const { rows } = await sql<ProfileHour>`
    select distinct hour, deployment_id from profile_windows where hour < (select hour from profile_mark)
    order by hour, deployment_id limit ${limit}::int`.execute(database)
  return rows
}

/** Days of which every hour is merged, oldest first. */
export async function dueProfileDays(database: Database, limit: number): Promise<readonly ProfileDay[]> {
  const { rows } = await sql<ProfileDay>`
    select distinct hour / 24 as day, deployment_id from profile_hours as merged where due
      and hour < (select hour / 24 * 24 from profile_mark)
      and not exists (
        select from profile_windows as open where open.deployment_id = merged.deployment_id
          and open.hour >= merged.hour / 24 * 24 and open.hour < merged.hour / 24 * 24 + 24)
    order by day, deployment_id limit ${limit}::int`.execute(database)
  return rows
}

/** Of one revision and class, with the profile as text. */
export type ProfilePart = {
  readonly hour: number
  readonly revision: number
  readonly class: string
  readonly gateways: readonly string[]
  readonly body: string
}

/** Revision 0 stands for all, and so does an empty class. */
export type MergedPart = Omit<ProfilePart, 'hour'>
export type MergedHour = Omit<MergedPart, 'body'> & { readonly body: string | null; readonly figures: HourFigures }

/** 'elsewhere': another control plane merges just now, or has merged it. */
export type MergeResult = 'merged' | 'elsewhere'

export function mergeProfileHour(
  database: Database,
  { deployment_id, hour }: ProfileHour,
  merge: (parts: readonly ProfilePart[]) => readonly MergedHour[],
): Promise<MergeResult> {
  return inTransaction(database, async (transaction) => {
    if (!(await isAlone(transaction))) return 'elsewhere'
    const { rows } = await sql<Omit<ProfilePart, 'gateways'> & { gateway: string }>`
      delete from profile_windows where deployment_id = ${deployment_id} and hour = ${hour}::int and hour < (select hour from profile_mark)
      returning hour, revision, class, gateway, body`.execute(transaction)
    if (rows.length === 0) return 'elsewhere'
    const merged = merge(rows.map(({ gateway, ...rest }) => ({ ...rest, gateways: [gateway] })))
    await transaction
      .insertInto('profile_hours')
      .values(
        merged.map(({ gateways, figures, ...rest }) => ({
          deployment_id,
          hour,
          ...rest,
          gateways: jsonText(gateways),
          figures: jsonText(figures),
          due: rest.body !== null,
        })),
      )
      .execute()
    return 'merged'
  })
}

export function mergeProfileDay(
  database: Database,
  { deployment_id, day }: ProfileDay,
  merge: (parts: readonly ProfilePart[]) => readonly MergedPart[],
): Promise<MergeResult> {
  return inTransaction(database, async (transaction) => {
    if (!(await isAlone(transaction))) return 'elsewhere'
    const { rows } = await sql<ProfilePart>`
      update profile_hours set due = false where deployment_id = ${deployment_id} and hour >= ${24 * day}::int and hour < ${24 * day + 24}::int and due
      returning hour, revision, class, gateways, body`.execute(transaction)
    if (rows.length === 0) return 'elsewhere'
    const days = merge(rows).map(({ gateways, ...rest }) => ({ deployment_id, day, ...rest, gateways: jsonText(gateways) }))
    await transaction.insertInto('profile_days').values(days).execute()
    return 'merged'
  })
}

async function isAlone(transaction: Database): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${LOCK}, 0)) as held`.execute(transaction)
  return rows[0]?.held === true
}
