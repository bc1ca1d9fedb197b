export { canaryRule, DEFAULT_ROLLOUT, decideRollout, type RolloutAction, type RolloutRule, type RolloutSeen } from './decide-rollout.ts'
export {
  type CanaryEvidence,
  type CanaryInterval,
  type CanaryRule,
  type Judgement,
  judgeCanary,
  NO_EVIDENCE,
  withCanaryInterval,
} from './judge-canary.ts'
