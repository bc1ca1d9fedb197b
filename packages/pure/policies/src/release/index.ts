export { exportedFacts } from './exported-facts.ts'
export { HOW_TO_STATE, lackingFacts, type MakingRun, missingFacts, versionFacts, type VersionSources } from './version-facts.ts'
export { type DecidedAnswer, isReleased, needsFacts, versionState } from './version-state.ts'
