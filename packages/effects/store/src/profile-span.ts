// The profile of a deployment over a span of hours: sums of whole days where there are, hours at the edges, and windows of hours that may still be
// reported. One statement, so that nothing is missing or there twice while a control plane merges.

import type { HourFigures } from '@ironlaw/contracts/profile-api'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import type { ProfilePart } from './profile-merges.ts'

export type ProfileSpan = {
  readonly deployment_id: string
  readonly from_hour: number
  /** The first that is not in it. */
  readonly to_hour: number
  readonly revision?: number | undefined
  readonly class?: string | undefined
}

export type StoredProfiles = {
  /** Of hours that may still be reported. */
  readonly open: readonly ProfilePart[]
  /** Days, and closed hours that are in none of them. */
  readonly closed: readonly ProfilePart[]
  /** Of closed hours. */
  readonly figures: readonly { readonly hour: number; readonly figures: HourFigures }[]
}

type SpanRow = ProfilePart & { readonly kind: 'open' | 'closed' | 'figures'; readonly figures: HourFigures }

export async function profilesOf(
  database: Database,
  { deployment_id, from_hour, to_hour, revision, class: ofClass }: ProfileSpan,
): Promise<StoredProfiles> {
  const from_day = Math.ceil(from_hour / 24)
  const to_day = Math.floor(to_hour / 24)
  const chosen = sql<boolean>`(${revision ?? null}::int is null or revision = ${revision ?? null}::int)
    and (${ofClass ?? null}::text is null or class = ${ofClass ?? null}::text)`
  const within = sql<boolean>`deployment_id = ${deployment_id} and hour >= ${from_hour}::int and hour < ${to_hour}::int`
  const summed = sql<boolean>`revision = ${revision ?? 0}::int and class = ${ofClass ?? ''}`
  const { rows } = await sql<SpanRow>`
    select 'open' as kind, hour, revision, class, jsonb_build_array(gateway) as gateways, body, null::jsonb as figures
      from profile_windows where ${within} and ${chosen}
    union all select 'closed', hour, revision, class, gateways, body, null from profile_hours
      where ${within} and ${chosen} and body is not null and (due or hour < ${24 * from_day}::int or hour >= ${24 * to_day}::int)
    union all select 'closed', day * 24, revision, class, gateways, body, null from profile_days
      where deployment_id = ${deployment_id} and day >= ${from_day}::int and day < ${to_day}::int and ${summed}
    union all select 'figures', hour, revision, class, null, null, figures from profile_hours where ${within} and ${summed}`.execute(
    database,
  )
  const grouped = Map.groupBy(rows, ({ kind }) => kind)
  return { open: grouped.get('open') ?? [], closed: grouped.get('closed') ?? [], figures: grouped.get('figures') ?? [] }
}

export type ProfileGroups = { readonly revisions: readonly number[]; readonly classes: readonly string[] }

/** Whatever answered in a span, in order. */
export async function profileGroups(database: Database, { deployment_id, from_hour, to_hour }: ProfileSpan): Promise<ProfileGroups> {
  const within = sql<boolean>`deployment_id = ${deployment_id} and hour >= ${from_hour}::int and hour < ${to_hour}::int`
  const { rows } = await sql<{ revision: number; class: string }>`
    select revision, class from profile_windows where ${within}
    union select revision, class from profile_hours where ${within} and body is not null`.execute(database)
  return {
    revisions: [...new Set(rows.map(({ revision }) => revision))].toSorted((a, b) => a - b),
    classes: [...new Set(rows.map((each) => each.class))].toSorted(),
  }
}
