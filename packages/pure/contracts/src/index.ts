export { type ErrorCode, ERRORS, IronlawError } from './error.ts'
export { folded, type Named, nearest } from './nearest.ts'
export { planId, type TrainingDecision, type TrainingPlan, UNDIVIDED } from './training-plan.ts'
