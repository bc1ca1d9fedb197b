export { byFullness, CAPACITY_WORDS } from './capacity.ts'
export type { Assumption } from './training/request/assumptions.ts'
export { type Economics, economicsOf } from './economics.ts'
export { expectedStall, type Feeding, feedingForecast } from './training/feeding/feeding.ts'
export { explainedPlan } from './training/explain/explained-plan.ts'
export { stepInterval } from './training/time/interval.ts'
export type { Setup, TrainingJob } from './training/job.ts'
export type { Machine } from './machine/machine.ts'
export { divisionLimits, type PlanFleet, illegality } from './training/search/legality.ts'
export { type MachineChoice, machineFor, memoryLimit } from './machine/machine-for.ts'
export { chanceText, DEFAULT_FIT_PROBABILITY, fitProbabilityOf } from './training/memory/device-need.ts'
export { memoryAccount, type MemoryAccount, type MemoryTerm, type StageMemory, worstMemory } from './training/memory/memory.ts'
export { nearMisses, type Suggestion, suggestionOf } from './training/request/near-miss.ts'
export { nodeShape, type NodeShape } from './machine/node-shape.ts'
export { bestPoint, type Goal, paretoFront, paretoSteps } from './training/search/pareto.ts'
export {
  planningSteps,
  planTraining,
  type PlannedTraining,
  type PlanningResult,
  type TrainingPlanInputs,
} from './training/plan-training.ts'
export { POLICIES, type PolicyName, type PrecisionPolicy } from './training/memory/precision.ts'
export { type Profile, profileOf } from './training/search/profile.ts'
export { DEFAULT_RUNTIME, type RuntimeName, RUNTIMES } from './training/time/runtimes.ts'
export type { Runtime } from './training/time/runtime.ts'
export type { Candidate } from './training/search/ranking.ts'
export {
  mergedShards,
  type SearchTask,
  search,
  type SearchResult,
  type SearchSpace,
  type Shard,
  type ShardResult,
  searchShard,
  WHOLE_SPACE,
} from './training/search/search.ts'
export { devicesOf as requestedDevices, nodesOf, resourcesOf } from './training/request/run-shape.ts'
export type { SearchSteps } from './training/search/search-steps.ts'
export { type SearchMessage, searchWorker } from './training/search/search-worker.ts'
export { sensitivities, type Sensitivity } from './training/explain/sensitivity.ts'
export { shortfall, type Shortfall } from './training/memory/shortfall.ts'
export { stepTime } from './training/time/step-time.ts'
export type { StepTime } from './training/time/timed-step.ts'
export { PLAIN, type Recompute, type Schedule, type Shards, type Strategy } from './training/strategy.ts'
export { type PipelineEvent, type Timeline, timeline } from './training/time/timeline.ts'
export { answerSteps, answerTraining, type TrainingAnswer } from './training/request/training-answer.ts'
export { decodesTokens, type NamedModel, type TrainingRequest, trainingRequest } from './training/request/training-request.ts'
export type { NothingFits } from './training/search/nothing-fits.ts'
export { stepFlops } from './training/time/utilization.ts'
export { batchTime, type BatchTime } from './serving/batch-time.ts'
export { candidateLayouts, type FixedLayout } from './serving/candidates.ts'
export {
  batchedState,
  type BatchedLoad,
  type BatchedModel,
  type BatchedState,
  budgetSlack,
  cascade,
  type CascadeStage,
  ensemble,
  waitBefore,
} from './serving/classical.ts'
export { measuredAccelerators } from './serving/curves.ts'
export { ENGINE_RUNTIMES, type EngineName, type EngineRuntime } from './serving/engine-runtime.ts'
export { type Floors, floorsOf } from './serving/floors.ts'
export { servingInterval } from './serving/interval.ts'
export { devicesOf as servingDevices, type Layout, layoutText, SINGLE } from './serving/layout.ts'
export { requestsHeld, type ServingMemory, servingMemory } from './serving/memory.ts'
export { answersInOnePass, onePassArchitecture } from './serving/one-pass.ts'
export { openState, type OpenLoad, type OpenState } from './serving/open-state.ts'
export { type FrontPoint, servingFront } from './serving/pareto.ts'
export { type PlannedServing, planServing, type RejectedLayout, servingFrontFor } from './serving/plan-serving.ts'
export { draftFor, type PlannedServeSpec, type ServingRequest, servingRequest } from './serving/serving-request.ts'
export type { QualityVerdict } from './serving/quality.ts'
export { type QualityPoint, qualityFrontFor } from './serving/quality-front.ts'
export { carriedText, infeasibleText, poolText, qualityText } from './serving/serving-text.ts'
export type { ServingPlanInputs } from './serving/serving-inputs.ts'
export { preparedReplica, type PreparedReplica } from './serving/prepared-replica.ts'
export { CACHE_BYTES, SERVING_PRECISIONS, type ServingPrecision, type ServingPrecisionName } from './serving/precision.ts'
export { cacheTransfer, type DescribedReplica, type ReplicaConditions, replicaDesign, replicaRule } from './serving/replica-rule.ts'
export { type ReplicaDesign, servingMachine, type ServingMachine } from './serving/replica-design.ts'
export type { Speculation } from './serving/mechanisms.ts'
export { ACCEPTANCES, predictionLayers } from './serving/speculation.ts'
export { decodeWork, prefillWork, steadyState, type SteadyLoad, type SteadyState } from './serving/steady-state.ts'
export { type CompiledStep, compiledStep, type StepTime as EngineStepTime, type StepWork } from './serving/step-time.ts'
export { strategyText } from './training/explain/strategy-text.ts'
export { usualTraining } from './training/request/usual-training.ts'
export { type PlannedRl, planRl, type RlRequest } from './post-training/plan-rl.ts'
export type { DataConditions } from './data/conditions.ts'
export { type FinishedDataRun, finishedWork, type HeldOutErrors, heldOutErrors, learnedRates } from './data/learned-rates.ts'
export { leftByStep } from './data/left.ts'
export { type DataPlanRequest, planData, type PlannedData } from './data/plan-data.ts'
export type { LearnedRates } from './data/rates.ts'
export { scaledProbe } from './data/scaled-probe.ts'
export { type ScoredFigure, scoredRun } from './data/score.ts'
export { type Coreset, type CoresetRequest, type ScoredSample, selectCoreset, uniformShortfalls } from './data/selection/coreset.ts'
export { epochsFor, worthOfEpochs, type WorthOfEpochs } from './data/selection/epochs.ts'
export { judgeSelection, proxyCost, type SelectionPlan, type SelectionVerdict } from './data/selection/judge-selection.ts'
export { dataPlacement, type Placement, type PlacementRequest } from './data/selection/placement.ts'
export { type SelectionCase, type SelectionWorth, selectionWorth } from './data/selection/worth.ts'
export { rescoringAdvice, rescoringInterval, scoreStaleness, type Staleness } from './data/selection/staleness.ts'
export { type ChangedProbe, changedProbe, type DataChange } from './data/what-if.ts'
export { type EvaluationForecast, forecastEvaluation, probedPlaces } from './evaluation/plan-evaluation.ts'
