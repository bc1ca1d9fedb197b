export { DISCOUNT_TEXT, judgeApprovals, lowerRole, personOf, type StandingApproval } from './approvals.ts'
export { exportedFacts } from './exported-facts.ts'
export {
  HOW_TO_STATE,
  hasUncommittedCode,
  lackingCardFacts,
  lackingFacts,
  type MakingRun,
  missingFacts,
  versionFacts,
  type VersionSources,
} from './version-facts.ts'
export { type DecidedAnswer, isReleased, needsFacts, versionState } from './version-state.ts'
export { contaminationFinding } from './contamination-finding.ts'
export { evaluationFinding, type GateFinding, groupsFinding, latencyFinding, memoryFinding, quantizationFinding } from './gate-findings.ts'
export { cardFinding, scopeFinding } from './purpose-findings.ts'
export { hasEvidence, type OfflineDecision, offlineDecision, releaseRecord } from './release-record.ts'
export { type JudgedGate, judgeRelease, type NamedFinding, type ReleaseJudgement } from './judge-release.ts'
