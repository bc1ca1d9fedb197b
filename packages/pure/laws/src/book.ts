// The law book in the order a reader meets it: the machine, the fleet, serving, money and energy, governance. A test holds
// this list equal to the files of the domains.

import * as ironLaw from './iron-law/iron-law.ts'
import * as rooflineFusion from './roofline/fusion.ts'
import * as roofline from './roofline/roofline.ts'
import * as computeCompilation from './compute/compilation.ts'
import * as computeEfficiency from './compute/efficiency.ts'
import * as computeInference from './compute/inference.ts'
import * as computeKernels from './compute/kernels.ts'
import * as computeLayers from './compute/layers.ts'
import * as computeTraining from './compute/training.ts'
import * as memoryActivations from './memory/activations.ts'
import * as memoryAttention from './memory/attention.ts'
import * as memoryFit from './memory/fit.ts'
import * as memoryState from './memory/state.ts'
import * as memoryTensors from './memory/tensors.ts'
import * as precision from './precision/precision.ts'
import * as parallelismLayout from './parallelism/layout.ts'
import * as parallelismSynchronization from './parallelism/synchronization.ts'
import * as parallelismVolume from './parallelism/volume.ts'
import * as pipeline from './pipeline/pipeline.ts'
import * as collectiveAllReduce from './collective/all-reduce.ts'
import * as collectiveHierarchical from './collective/hierarchical.ts'
import * as collectiveMeasured from './collective/measured.ts'
import * as collectiveOverlap from './collective/overlap.ts'
import * as collectivePrimitives from './collective/primitives.ts'
import * as networkDistance from './network/distance.ts'
import * as networkFabric from './network/fabric.ts'
import * as networkMessage from './network/message.ts'
import * as storageBandwidth from './storage/bandwidth.ts'
import * as storageCapacity from './storage/capacity.ts'
import * as storagePrefetch from './storage/prefetch.ts'
import * as dataDeduplication from './data/deduplication.ts'
import * as dataInputPipeline from './data/input-pipeline.ts'
import * as dataLabeling from './data/labeling.ts'
import * as dataPipeline from './data/pipeline.ts'
import * as dataSampling from './data/sampling.ts'
import * as dataSelection from './data/selection.ts'
import * as dataVolume from './data/volume.ts'
import * as scalingBatch from './scaling/batch.ts'
import * as scalingGoodput from './scaling/goodput.ts'
import * as scalingLoss from './scaling/loss.ts'
import * as scalingSpeedup from './scaling/speedup.ts'
import * as scalingStep from './scaling/step.ts'
import * as scalingTrends from './scaling/trends.ts'
import * as checkpointInterval from './checkpoint/interval.ts'
import * as checkpointVolume from './checkpoint/volume.ts'
import * as reliabilityAvailability from './reliability/availability.ts'
import * as reliabilityMtbf from './reliability/mtbf.ts'
import * as reliabilitySurvival from './reliability/survival.ts'
import * as reliabilityYoungDaly from './reliability/young-daly.ts'
import * as recovery from './recovery/recovery.ts'
import * as orchestrationElastic from './orchestration/elastic.ts'
import * as orchestrationUtilization from './orchestration/utilization.ts'
import * as kvCachePool from './kv-cache/pool.ts'
import * as kvCacheSize from './kv-cache/size.ts'
import * as batchingContinuous from './batching/continuous.ts'
import * as batchingService from './batching/service.ts'
import * as batchingWindow from './batching/window.ts'
import * as decodingDecode from './decoding/decode.ts'
import * as decodingSpeculative from './decoding/speculative.ts'
import * as queueingLittle from './queueing/little.ts'
import * as queueingManyServers from './queueing/many-servers.ts'
import * as queueingSingleServer from './queueing/single-server.ts'
import * as latencyStages from './latency/stages.ts'
import * as latencyTail from './latency/tail.ts'
import * as capacityFleet from './capacity/fleet.ts'
import * as capacityServingLimits from './capacity/serving-limits.ts'
import * as routingAffinity from './routing/affinity.ts'
import * as routingBalancing from './routing/balancing.ts'
import * as autoscalingScaling from './autoscaling/scaling.ts'
import * as coldStartStart from './cold-start/start.ts'
import * as costCompute from './cost/compute.ts'
import * as costIncidents from './cost/incidents.ts'
import * as costOwnership from './cost/ownership.ts'
import * as costPlatform from './cost/platform.ts'
import * as costServing from './cost/serving.ts'
import * as energyBattery from './energy/battery.ts'
import * as energyMovement from './energy/movement.ts'
import * as energyWork from './energy/work.ts'
import * as powerCooling from './power/cooling.ts'
import * as powerFacility from './power/facility.ts'
import * as carbonEmbodied from './carbon/embodied.ts'
import * as carbonOperational from './carbon/operational.ts'
import * as water from './water/water.ts'
import * as edgeEnergy from './edge/energy.ts'
import * as edgeMemory from './edge/memory.ts'
import * as edgeSizing from './edge/sizing.ts'
import * as federatedRounds from './federated/rounds.ts'
import * as compressionGradients from './compression/gradients.ts'
import * as compressionLowRankAndPruning from './compression/low-rank-and-pruning.ts'
import * as compressionQuantization from './compression/quantization.ts'
import * as driftAccuracy from './drift/accuracy.ts'
import * as driftDistance from './drift/distance.ts'
import * as driftSignificance from './drift/significance.ts'
import * as retrainingInterval from './retraining/interval.ts'
import * as experimentsRollout from './experiments/rollout.ts'
import * as experimentsSampleSize from './experiments/sample-size.ts'
import * as experimentsSearch from './experiments/search.ts'
import * as experimentsSignificance from './experiments/significance.ts'
import * as monitoringAlerts from './monitoring/alerts.ts'
import * as monitoringValue from './monitoring/value.ts'
import * as monitoringVolume from './monitoring/volume.ts'
import * as benchmarkAccuracy from './benchmark/accuracy.ts'
import * as fairnessGroups from './fairness/groups.ts'
import * as fairnessOversight from './fairness/oversight.ts'
import * as fairnessThresholds from './fairness/thresholds.ts'
import * as privacyAccounting from './privacy/accounting.ts'
import * as privacyNoise from './privacy/noise.ts'
import * as privacyUnlearning from './privacy/unlearning.ts'
import * as robustnessMemoryErrors from './robustness/memory-errors.ts'
import * as robustnessPerturbations from './robustness/perturbations.ts'
import * as securityExtraction from './security/extraction.ts'
import type { Law } from './law.ts'

const CHAPTERS: readonly Readonly<Record<string, unknown>>[] = [
  ironLaw,
  rooflineFusion,
  roofline,
  computeCompilation,
  computeEfficiency,
  computeInference,
  computeKernels,
  computeLayers,
  computeTraining,
  memoryActivations,
  memoryAttention,
  memoryFit,
  memoryState,
  memoryTensors,
  precision,
  parallelismLayout,
  parallelismSynchronization,
  parallelismVolume,
  pipeline,
  collectiveAllReduce,
  collectiveHierarchical,
  collectiveMeasured,
  collectiveOverlap,
  collectivePrimitives,
  networkDistance,
  networkFabric,
  networkMessage,
  storageBandwidth,
  storageCapacity,
  storagePrefetch,
  dataDeduplication,
  dataInputPipeline,
  dataLabeling,
  dataPipeline,
  dataSampling,
  dataSelection,
  dataVolume,
  scalingBatch,
  scalingGoodput,
  scalingLoss,
  scalingSpeedup,
  scalingStep,
  scalingTrends,
  checkpointInterval,
  checkpointVolume,
  reliabilityAvailability,
  reliabilityMtbf,
  reliabilitySurvival,
  reliabilityYoungDaly,
  recovery,
  orchestrationElastic,
  orchestrationUtilization,
  kvCachePool,
  kvCacheSize,
  batchingContinuous,
  batchingService,
  batchingWindow,
  decodingDecode,
  decodingSpeculative,
  queueingLittle,
  queueingManyServers,
  queueingSingleServer,
  latencyStages,
  latencyTail,
  capacityFleet,
  capacityServingLimits,
  routingAffinity,
  routingBalancing,
  autoscalingScaling,
  coldStartStart,
  costCompute,
  costIncidents,
  costOwnership,
  costPlatform,
  costServing,
  energyBattery,
  energyMovement,
  energyWork,
  powerCooling,
  powerFacility,
  carbonEmbodied,
  carbonOperational,
  water,
  edgeEnergy,
  edgeMemory,
  edgeSizing,
  federatedRounds,
  compressionGradients,
  compressionLowRankAndPruning,
  compressionQuantization,
  driftAccuracy,
  driftDistance,
  driftSignificance,
  retrainingInterval,
  experimentsRollout,
  experimentsSampleSize,
  experimentsSearch,
  experimentsSignificance,
  monitoringAlerts,
  monitoringValue,
  monitoringVolume,
  benchmarkAccuracy,
  fairnessGroups,
  fairnessOversight,
  fairnessThresholds,
  privacyAccounting,
  privacyNoise,
  privacyUnlearning,
  robustnessMemoryErrors,
  robustnessPerturbations,
  securityExtraction,
]

const isLaw = (value: unknown): value is Law => typeof value === 'object' && value !== null && 'id' in value && 'of' in value

export const book: ReadonlyMap<string, Law> = new Map(
  CHAPTERS.flatMap((chapter) => Object.values(chapter).filter(isLaw)).map((law) => [law.id, law]),
)
