export { type Coverage, coverageOf, type FinishedRun } from './coverage.ts'
export {
  type Correction,
  type Corrections,
  learnedCorrections,
  type LearnedCorrections,
  type WorkObservation,
  type LearningRefusal,
} from './feedback.ts'
export type { CollectiveName, MachineRow, MeasuredRow } from './measurement.ts'
export { type Collective, type MeasuredMachine, measuredMachine, type SharedNode, type Storage } from './measured-machine.ts'
export { parseNcclTests } from './nccl-tests.ts'
export { type Figure, figureOf } from './samples.ts'
export { type TrainingLog, parseTrainingLog } from './training-log.ts'
export { comparedRun } from './plan-residuals.ts'
export { learnedRate, type WrittenCheckpoint } from './storage-rate.ts'
