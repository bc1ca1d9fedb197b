export { type AccessChange, accessChange, accessChangeText } from './access-change.ts'
export { type FieldChange, fieldChanges, fieldChangesText } from './deployment-change.ts'
export { deployRefusal } from './deploy-refusal.ts'
export type { Capacity, Resource } from './capacity.ts'
export { DISPATCHERS, type Dispatcher, RECOMPUTE_MODULES, type RecomputeModule } from './experts.ts'
export type { CheckpointPolicy } from './checkpoint-policy.ts'
export { countOfKind, coversKind, devicesText, type SiteDevice } from './devices.ts'
export { isLoopbackHost } from './loopback.ts'
export { CACHE_PRECISIONS, WEIGHT_PRECISIONS, type WeightPrecision } from './serving-precision.ts'
export { replicaTlsName } from './replica-name.ts'
export { type DatabaseUrl, secureDatabaseUrl } from './secure-database-url.ts'
export { type ErrorCode, ERRORS, errorText, IronlawError } from './error.ts'
export { systemError, systemReason } from './system-error.ts'
export { foldedName, type NameWithAliases, nearestNames } from './nearest.ts'
export { allProblems } from './problem-list.ts'
export { planId, servingPlanId } from './plan-id.ts'
export {
  ENGINE_STEP_CAUSES,
  isStepCause,
  STEP_CAUSE_INFO,
  STEP_CAUSES,
  type StepCause,
  type StepNature,
  WORK_CLASSES,
  type WorkClass,
} from './step-cause.ts'
export { TIME_CAUSES, type TimeCause, type SecondsByCause } from './time-cause.ts'
export type { DocumentLengths } from './document-lengths.ts'
export type { OptimizerName } from './optimizer.ts'
export type { Lora, LoraTargets } from './lora.ts'
export type { RlPlan } from './rl-plan.ts'
export type { TrainingDecision, TrainingPlan } from './training-plan.ts'
export { type NetworkLink, readLink } from './network-link.ts'
export { readBatch, readSequence, type ReadResult } from './training-size.ts'
export { UNDIVIDED } from './undivided.ts'
export {
  type Allocation,
  allocationKey,
  type Attempt,
  isTerminal,
  type Member,
  RUN_FILES,
  RUN_STATES,
  type RunState,
  slotsPerNode,
  TERMINAL_STATES,
  type TerminalState,
} from './run.ts'
export type { AttemptOutcome } from './attempt-outcome.ts'
export { END_REASONS, type EndReason, NEXT_STEP } from './end-reason.ts'
export { type DeviceCount, type DeviceRequest, type Program, RUN_FILE_CHARACTERS, type RunShape } from './run-shape.ts'
export { isInService, type JobEnding, type NodeSighting, type NodeState, type Sighting } from './sighting.ts'
export { canonicalJson, type Json } from './canonical-json.ts'
export { nestsDeeperThan } from './json-nesting.ts'
export { MOST_DEMAND, MOST_NAMED_TENANTS, WHOLE_SHARE } from './quota-share.ts'
export { quantityOf } from './quantity.ts'
export { sha256 } from './sha256.ts'
export {
  EVERY_PROJECT,
  type Grant,
  grantsText,
  hasRole,
  includesRole,
  isAllowed,
  type Need,
  type PersonNeed,
  type Principal,
  PROJECT_ROLES,
  type ProjectRole,
  projectsOf,
  roleIn,
} from './grants.ts'
export { type Role, ROLES } from './roles.ts'
export type { ServingLayout, ServingPlan, ServingPool } from './serving-plan.ts'
export {
  DEPLOYMENT_STATES,
  type DeploymentState,
  controlPoolName,
  isRolling,
  poolName,
  previousRevision,
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
export { Histogram, labelValue, metricFamily } from './histogram.ts'
export { LATENCY_BUCKETS, latencyBucket, type LatencyCounts, latencyPercentile } from './latency-buckets.ts'
export { type ApiError, apiError, type ApiErrorCode, errorBody, retryHeaders } from './openai-error.ts'
export { STEP_TOKENS } from './engine-steps.ts'
export { LENGTH_VARIATION, lengthAt, rareLength } from './request-lengths.ts'
