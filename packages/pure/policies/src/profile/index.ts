export { binOf, valueOf } from './bins.ts'
export {
  compareProfiles,
  type NumbersApart,
  type NumbersSummary,
  PRESENT,
  type ProfileComparison,
  rowsPresent,
  summaryOf,
  type WordsApart,
} from './compare-profiles.ts'
export { discloseBins, discloseProfile, LEAST_ROWS, LEAST_SHOWN } from './disclose-profile.ts'
export { countedIn, EMPTY_PROFILE, mergeProfiles } from './merge-profiles.ts'
export { type PackedProfile, packProfile, ProfileSum } from './packed-profile.ts'
export { percentileOfBins } from './percentile.ts'
export { OTHER_WORDS, ProfileCounter } from './profile-counter.ts'
export { projections } from './projections.ts'
export { scriptOf } from './script.ts'
