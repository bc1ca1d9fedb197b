export { admissionDecision, type Admission, type Arrival, type Saturation } from './admission.ts'
export { newScaleMemory, decideScale, type ScaleDecision, type ScaleMemory, type ScaleRule, type ScaleObservation } from './autoscaler.ts'
export { BLOCK_CHARACTERS, blockHashes } from './block-hashes.ts'
export {
  abandonTrial,
  type Breaker,
  type BreakerRule,
  closedBreaker,
  DEFAULT_BREAKER,
  recordFailure,
  allowsRequest,
  recordSuccess,
  recordAttempt,
} from './circuit-breaker.ts'
export { FairQueue, type QueueTicket } from './fair-queue.ts'
export { finishRateAfter, observeFor_s } from './finish-rate.ts'
export { hashOfText, mixedHash } from './hash.ts'
export { type FirstByteTimes, hedgeAfter_s, noFirstBytes, recordFirstByte } from './hedge.ts'
export { type Demand, maxMinShares } from './max-min-shares.ts'
export { PrefixIndex } from './prefix-index.ts'
export {
  endRequest,
  type Quota,
  type QuotaUse,
  type QuotaVerdict,
  type RateState,
  rateState,
  settleQuota,
  settleTokens,
  takeQuota,
  takeRequest,
  takeTokens,
  unusedQuota,
} from './quota.ts'
export {
  demandAfter,
  type DemandMark,
  demandShare,
  firstDemand,
  type GrantResponse,
  heldGrant,
  type HeldGrant,
  heldShare,
  settleShare,
  sharedQuota,
} from './quota-held.ts'
export { grantQuota, QUOTA_RULE } from './quota-shares.ts'
export { outstanding_s, predicted_s, type ReplicaLoad, type ReplicaSpeed, type RoutedRequest } from './replica-load.ts'
export {
  type ResponseClass,
  responseClass,
  countUnconfirmed,
  type FaultWindow,
  newFaultWindow,
  serverErrorVerdict,
} from './request-fault.ts'
export { earnRetry, mayRetry, newRetryBudget, type RetryBudget, spendRetry } from './retry-budget.ts'
export type { Router, RouteView } from './router/route-view.ts'
export { readsPrefixes, type RouterName, ROUTERS } from './router/router.ts'
export { type Bucket, type BucketLimit, fillBucket, fullBucket, bucketWait_s } from './token-bucket.ts'
export { weightedChoice } from './weighted-choice.ts'
export { type EngineCosts, type EngineReadings, fitEngine, type FittedEngine } from './engine-fit.ts'
export { engineSteps, type ObservedStep, type TimedAnswer } from './engine-steps.ts'
export {
  type CauseSeconds,
  SERVING_CAUSES,
  type ServedRequest,
  type ServingCause,
  type ServingEntry,
  type ServingLedger,
  servingLedger,
} from './serving-ledger.ts'
