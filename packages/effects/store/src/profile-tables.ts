// The tables of profiles as the migrations leave them.

import type { HourFigures } from '@ironlaw/contracts/profile-api'
import type { Generated, JSONColumnType } from 'kysely'

type ProfileWindows = {
  deployment_id: string
  /** Since 1970. */
  hour: number
  revision: number
  class: string
  pool: string
  gateway: string
  boot: string
  rows: number
  /** All counts of the body: the greater, the newer. */
  counted: number
  /** As text, which nothing but this code looks into. */
  body: string
}

/** Revision 0 stands for all, and so does an empty class. */
type ProfileHours = {
  deployment_id: string
  hour: number
  revision: number
  class: string
  gateways: JSONColumnType<readonly string[]>
  figures: JSONColumnType<HourFigures>
  body: string | null
  due: boolean
}

type ProfileDays = {
  deployment_id: string
  day: number
  revision: number
  class: string
  gateways: JSONColumnType<readonly string[]>
  body: string
}

export type ProfileTables = {
  profile_windows: ProfileWindows
  profile_hours: ProfileHours
  profile_days: ProfileDays
  profile_mark: { one: Generated<boolean>; hour: number }
}
