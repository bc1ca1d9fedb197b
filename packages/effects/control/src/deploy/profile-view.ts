// The profile of a deployment over a span of time, with nothing in it that was counted too rarely.

import { type DeploymentProfile, HOUR_S, PROFILE_DAYS_KEPT, type ProfileQuery } from '@ironlaw/contracts/profile-api'
import { IronlawError } from '@ironlaw/contracts'
import { discloseProfile, LEAST_ROWS } from '@ironlaw/policies/profile'
import { type Database, type Deployment, profileGroups, profilesOf } from '@ironlaw/store'
import { gatewaysOf, hourFigures, sumOfParts } from './merge-stored-profiles.ts'

const DAY_S = 24 * HOUR_S

type ProfileRequest = { readonly query: ProfileQuery; readonly now: number }

export async function deploymentProfile(
  database: Database,
  { id, name }: Pick<Deployment, 'id' | 'name'>,
  { query, now }: ProfileRequest,
): Promise<DeploymentProfile> {
  const { from_hour, to_hour } = hoursOf(query, now)
  const span = { deployment_id: id, from_hour, to_hour, revision: query.revision, class: query.class }
  const [{ open, closed, figures }, groups] = await Promise.all([profilesOf(database, span), profileGroups(database, span)])
  const openHours = [...Map.groupBy(open, ({ hour }) => hour)].map(([hour, parts]) => ({ hour, sum: sumOfParts(parts) }))
  const all = sumOfParts(closed)
  for (const { sum } of openHours) all.addSum(sum)
  const profile = discloseProfile(all.profile())
  const hours = [...figures, ...openHours.map(({ hour, sum }) => ({ hour, figures: hourFigures(sum) }))]
  return {
    deployment: name,
    from_at: from_hour * HOUR_S,
    to_at: to_hour * HOUR_S,
    revisions: [...groups.revisions],
    classes: [...groups.classes],
    gateways: gatewaysOf([...open, ...closed]).length,
    ...(profile ? { profile } : { reason: `fewer than ${LEAST_ROWS} answers were counted: so few could be told apart` }),
    hours: hours.toSorted((one, other) => one.hour - other.hour).map((each) => ({ at: each.hour * HOUR_S, ...each.figures })),
  }
}

function hoursOf({ from_at, to_at }: ProfileQuery, now: number): { readonly from_hour: number; readonly to_hour: number } {
  const to_hour = to_at === undefined ? Math.floor(now / HOUR_S) + 1 : Math.ceil(to_at / HOUR_S)
  const from_hour = from_at === undefined ? Math.max(0, to_hour - 24) : Math.floor(from_at / HOUR_S)
  if (from_hour >= to_hour) throw new IronlawError('IL_INVALID', { path: 'querystring.from_at', problem: 'is not before to_at' })
  if ((to_hour - from_hour) * HOUR_S > PROFILE_DAYS_KEPT * DAY_S + HOUR_S)
    throw new IronlawError('IL_INVALID', {
      path: 'querystring.from_at',
      problem: `is more than ${PROFILE_DAYS_KEPT} days before to_at, which is how long profiles are kept`,
    })
  return { from_hour, to_hour }
}
