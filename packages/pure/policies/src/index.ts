export { afterFailure, type AfterFailure, type Elastic, type Situation, working } from './after-failure.ts'
export { checkpointDue, type CheckpointRule, type Observed } from './checkpoint-due.ts'
export { type HangCosts, hangTimeout, type StepTimes } from './hang-timeout.ts'
export { type Committed, restorePoint } from './restore-point.ts'
