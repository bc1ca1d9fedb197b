export { type AccessChange, accessChange, changeText } from './access-change.ts'
export { deployRefusal } from './deploy-refusal.ts'
export type { CheckpointPolicy } from './checkpoint-policy.ts'
export { type ErrorCode, ERRORS, IronlawError } from './error.ts'
export { folded, type Named, nearest } from './nearest.ts'
export { planId, type TrainingDecision, type TrainingPlan, UNDIVIDED } from './training-plan.ts'
export {
  type Allocation,
  allocationKey,
  type Attempt,
  type AttemptOutcome,
  type Cause,
  CAUSES,
  isTerminal,
  type Member,
  NEXT_STEP,
  type Program,
  RUN_FILES,
  RUN_STATES,
  type RunShape,
  type RunState,
  TERMINAL_STATES,
  type TerminalState,
} from './run.ts'
export type { JobEnding, NodeSighting, NodeState, Sighting } from './sighting.ts'
export { canonicalJson, type Json } from './canonical-json.ts'
export { nestsDeeperThan } from './json-nesting.ts'
export { MOST_DEMAND, MOST_NAMED_TENANTS, WHOLE_SHARE } from './quota-share.ts'
export { sha256 } from './sha256.ts'
export { may, type Need, type Principal, type Role, ROLES } from './roles.ts'
export { type ServingLayout, type ServingPlan, type ServingPool, servingPlanId } from './serving-plan.ts'
export {
  DEPLOYMENT_STATES,
  type DeploymentState,
  controlPoolName,
  isRolling,
  poolName,
  type Replica,
  REPLICA_ENDS,
  REPLICA_STATES,
  type ReplicaEnd,
  type ReplicaState,
  type Revision,
  type Rollout,
  ROLLOUT_STATES,
  type RolloutState,
} from './deployment.ts'
export { Histogram } from './histogram.ts'
export { LATENCY_BUCKETS, latencyBucket, type LatencyCounts, latencyPercentile } from './latency-buckets.ts'
export { type ApiError, apiError, type ApiErrorCode, errorBody, retryHeaders } from './openai-error.ts'
export { WORK_CLASSES, type WorkClass, workClassOf } from './work-class.ts'
export { LENGTH_VARIATION, rareLength } from './request-lengths.ts'
