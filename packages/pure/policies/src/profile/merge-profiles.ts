// The profile of two is the sum of theirs: exact, in any order, however often they are divided and put together again. That also holds beyond the most
// features and words, which no honest source reaches: what is kept are the first by name, and the first of a sum are among the first of its parts. One name
// counted in two ways is a fault of one of the sources: numbers count, and the words are dropped, in whatever order they come.

import type { Profile, Sketch } from '@ironlaw/contracts/profile'
import { packProfile, ProfileSum } from './packed-profile.ts'

export const EMPTY_PROFILE: Profile = { rows: 0, features: {} }

export function mergeProfiles(profiles: readonly Profile[]): Profile {
  const sum = new ProfileSum()
  for (const profile of profiles) sum.add(packProfile(profile))
  return sum.profile()
}

/** Of one feature. */
export const countedIn = (sketch: Sketch): number =>
  Object.values(sketch.kind === 'numbers' ? sketch.bins : sketch.counts).reduce((sum, count) => sum + count, 0)
