export { RandomStream } from '../kernel/random-stream.ts'
export {
  type Arrivals,
  drawnArrivals,
  type DrawnTraffic,
  fixedLength,
  type Lengths,
  logNormalLength,
  measuredLength,
  tracedArrivals,
} from './arrivals.ts'
export { type ClusterRule, isRouter, type ReplicaPorts, ROUTER_NAMES, type TenantRule } from './cluster-rule.ts'
export { type DayRule, type DaySchedule, daySchedule } from './day-schedule.ts'
export { type EngineFactors, type MeasuredCell, fittedFactors } from './engine-feedback.ts'
export { measuredCost, type MeasuredEngine, measuredReplica } from './measured-engine.ts'
export { calibrate, type RequestLatency, type MeasuredRequest, replay } from './measured-log.ts'
export { type FinishedRequest, type Percentiles, type ServingOutcome } from './outcome.ts'
export { plannedTraffic } from './planned-traffic.ts'
export { md1Quantile, simulatedMD1, simulatedMM1, simulatedMMc } from './queueing.ts'
export { speedOf } from './replica-pool.ts'
export { type ReplicaRule, VLLM_RULE } from './replica-rule.ts'
export { figuresOf, type AccountedRequest, SERVED_FIGURES, type ServedFigure, type ServedFigures } from './served.ts'
export { type CalibratedEngine, type ReplicaSetup, simulatedRequests } from './simulated-requests.ts'
export { type SharedPrefix, sharedPrefix } from './shared-prefix.ts'
export { simulateServing } from './simulate-serving.ts'
export { type CostFactors, linearCost, scaledCost, type StepCost, type StepLoad } from './step-cost.ts'
export { type FittedTraffic, fitTraffic, syntheticArrivals } from '../traces/fitted-traffic.ts'
export { type ParsedTrace, parseTrace, type TraceFormat } from '../traces/parse-trace.ts'
export { type Trace, traceOf, type TraceRow } from '../traces/trace.ts'
