export { exportedFacts } from './exported-facts.ts'
export { lackingFacts, type MakingRun, missingFacts, versionFacts, type VersionSources } from './version-facts.ts'
