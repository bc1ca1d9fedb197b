// Takes what a gateway counted in hours: exact under repeated, late and lost reports, because the store keeps the greatest totals of each process.

import { HOUR_S } from '@ironlaw/contracts/profile-api'
import type { Profile, ProfileReport } from '@ironlaw/contracts/profile'
import { countedIn, packProfile } from '@ironlaw/policies/profile'
import { type Database, recordProfiles } from '@ironlaw/store'

type ReceivedProfiles = { readonly gateway: string; readonly body: ProfileReport; readonly now: number }

export function takeProfiles(database: Database, { gateway, body, now }: ReceivedProfiles): ReturnType<typeof recordProfiles> {
  const windows = body.windows.map(({ profile, ...rest }) => ({
    ...rest,
    rows: profile.rows,
    counted: countedInAll(profile),
    body: JSON.stringify(packProfile(profile)),
  }))
  return recordProfiles(database, { gateway, boot: body.boot, hour_now: Math.floor(now / HOUR_S) }, windows)
}

/** Some features are counted after the row: with the same rows, the greater sum is the newer. */
const countedInAll = ({ rows, features }: Profile): number => Object.values(features).reduce((sum, sketch) => sum + countedIn(sketch), rows)
