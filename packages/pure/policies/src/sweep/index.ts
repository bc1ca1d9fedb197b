export {
  decideSweep,
  judgeTrial,
  lossAt,
  rungsOf,
  type StepLoss,
  type Stopping,
  type SweepDecision,
  type Trial,
  type TrialJudgement,
} from './judge-trials.ts'
export { type TrialArguments, trialArguments } from './trial-arguments.ts'
