// Merges the profiles of hours that are no longer reported, and of days whose hours are merged, and forgets what is too old. Any number of control planes
// may do so at once, and each may be stopped anywhere: the next round goes on.

import { HOUR_S } from '@ironlaw/contracts/profile-api'
import {
  closeProfileHours,
  type Database,
  dueProfileDays,
  dueProfileHours,
  forgetProfiles,
  mergeProfileDay,
  mergeProfileHour,
  type MergeResult,
  REPORTED_HOURS,
} from '@ironlaw/store'
import { type Round, workThrough } from '../rounds/rounds.ts'
import { mergedDay, mergedHour } from './merge-stored-profiles.ts'

type CompactorPorts = { readonly database: Database; readonly now: () => number }

/** There is something to do once an hour. */
export const PROFILES_REST_MS = 60_000
const BATCH = 20

export async function compactProfiles({ database, now }: CompactorPorts): Promise<Round> {
  const hour = Math.floor(now() / HOUR_S)
  await closeProfileHours(database, hour - REPORTED_HOURS)
  await forgetProfiles(database, hour)
  const hours = await compactEach(await dueProfileHours(database, BATCH), {
    kind: 'hour',
    compact: (due) => mergeProfileHour(database, due, mergedHour),
  })
  const days = await compactEach(await dueProfileDays(database, BATCH), {
    kind: 'day',
    compact: (due) => mergeProfileDay(database, due, mergedDay),
  })
  return { due: hours.due + days.due, failed: [...hours.failed, ...days.failed] }
}

type Compaction<Due> = { readonly kind: string; readonly compact: (due: Due) => Promise<MergeResult> }

/** What another control plane does is not due here: this one rests. */
async function compactEach<Due extends { readonly deployment_id: string }>(
  due: readonly Due[],
  { kind, compact }: Compaction<Due>,
): Promise<Round> {
  let elsewhere = 0
  const { failed } = await workThrough(due, {
    name: (each) => `profiles of deployment ${each.deployment_id} were not merged (${kind})`,
    work: async (each) => {
      if ((await compact(each)) === 'elsewhere') elsewhere += 1
    },
    postpone: () => undefined,
  })
  return { due: due.length - elsewhere, failed }
}
