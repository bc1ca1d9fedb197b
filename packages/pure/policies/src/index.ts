export { afterFailure, type FailureResponse, type ElasticRule, type NodeShortage, usableNodes } from './after-failure.ts'
export { timeToCheckpoint, type CheckpointRule, type InterruptionHistory } from './checkpoint-due.ts'
export { type HangCosts, hangTimeout, type StepTimes } from './hang-timeout.ts'
export { type CommittedCheckpoint, restorePoint } from './restore-point.ts'
