export { askingOrder } from './asking-order.ts'
export { type DifferenceBounds, differenceBounds, type TailRisk } from './difference-interval.ts'
export {
  type DifferenceJudgement,
  type EvaluationVerdict,
  type GateRisk,
  type GateRule,
  judgeDifference,
  judgeSlices,
  verdictOfAll,
} from './judge-difference.ts'
export { fixedInformation } from './information.ts'
export { stageJudge } from './judge-stage.ts'
export { calibrateJudge, type LabelledVerdict } from './judge-calibration.ts'
export { pairedDifference, type PairedDifference, type PairedScore } from './paired-scores.ts'
export { askedShare, STAGES, stageItems } from './sequential-design.ts'
export { type Supposed, verdictChances, type VerdictChances } from './verdict-chances.ts'
export { expectedCalibrationError, type Judged } from './scoring/calibration-error.ts'
export { type GenerateRequest, type ItemRequest, itemRequests, type LikelihoodRequest, type ModelReading } from './scoring/item-requests.ts'
export { predictionMetrics } from './scoring/prediction-metrics.ts'
export { type EchoedTokens, type ItemAnswer, type ItemScore, scoreItem, type ScoredKind, verdictScore } from './scoring/score-item.ts'
export { judgeRequests, type JudgeVerdict, readVerdict } from './scoring/judge-prompt.ts'
export { programText } from './scoring/program-text.ts'
export { programTries } from './scoring/program-tries.ts'
export type { Metrics } from './scoring/metrics.ts'
export { itemText } from './scoring/item-text.ts'
export { type ItemChange, itemChanges } from './item-changes.ts'
export { taskMetrics } from './scoring/task-metrics.ts'
export {
  GAP_CRITERIA,
  type GapCriterion,
  type GapJudgement,
  type GapRule,
  type GroupedOutcome,
  type GroupGap,
  judgeGroups,
} from './groups/group-gaps.ts'
export { type ClusteredScore, meanScore, type MetricInterval, metricIntervals, predictionIntervals } from './scoring/metric-intervals.ts'
export { differingShare, type ResultSlice, sliceResults } from './scoring/result-parts.ts'
export {
  type ComparedPart,
  compareResults,
  compareStage,
  type Comparison,
  type ComparisonRule,
  type ComparisonVerdict,
  type InstrumentDifference,
  instrumentDifferences,
  riskOfOne,
} from './compare-evaluations.ts'
