export {
  canaryRule,
  DEFAULT_ROLLOUT,
  decideRollout,
  type RolloutAction,
  type RolloutRule,
  type RolloutObservation,
} from './decide-rollout.ts'
export {
  canaryBounds,
  type CanaryEvidence,
  type CanaryInterval,
  type CanaryRule,
  type Judgement,
  judgeCanary,
  NO_EVIDENCE,
  withCanaryInterval,
} from './judge-canary.ts'
export { NO_OUTPUTS, type OutputPairs } from './output-evidence.ts'
