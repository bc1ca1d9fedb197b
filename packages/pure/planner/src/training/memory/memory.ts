// The memory account of a training step, per pipeline stage: states, activations, logits, buffers, and what the allocator and the
// driver take, with a range where no formula holds them.

import { type Bytes, bytes } from '@ironlaw/units'
import { type DeviceNeed, deviceNeed, highNeed, lowNeed } from './device-need.ts'
import { inFlight } from './in-flight.ts'
import type { TrainingJob } from '../job.ts'
import { type LayerMemory, layerMemory, type MemoryInputs } from './layer-memory.ts'
import { localGroups } from '../time/local-operators.ts'
import { microbatchesOf } from '../search/microbatches.ts'
import type { PrecisionPolicy } from './precision.ts'
import { isInput, isOutput, type Stage, type StageKind, stageKinds, stagesOf } from '../search/stages.ts'
import { shardingRanks, type Shards, type Strategy } from '../strategy.ts'

export type MemoryTerm = 'weights' | 'gradients' | 'optimizer' | 'activations' | 'logits' | 'working' | 'gathered'

export type StageMemory = {
  readonly stage: number
  readonly terms: Readonly<Record<MemoryTerm, Bytes>>
  /** What the framework's allocator holds at the peak: the sum of the terms. */
  readonly allocated: Bytes
  /** Allocated, fragmentation, and what lies outside the allocator (driver context, libraries, communicators); low to high with 90 %. */
  readonly device: { readonly low: Bytes; readonly likely: Bytes; readonly high: Bytes; readonly spread: Bytes }
}

export type MemoryAccount = { readonly stages: readonly StageMemory[]; readonly worst: StageMemory }

export function memoryAccount(weighed: MemoryInputs, strategy: Strategy): MemoryAccount {
  const { job } = weighed
  const stages = stagePositions(weighed, strategy).map((place) =>
    stageMemory(job, strategy, { ...stageLoad(job, strategy, place), stage: place.index }),
  )
  return { stages, worst: stages.reduce((worst, stage) => (stage.device.high > worst.device.high ? stage : worst)) }
}

/** The need of the fullest device. */
export const worstMemory = (job: TrainingJob, strategy: Strategy, memories: readonly LayerMemory[]): DeviceNeed =>
  worstNeed(job, strategy, stageLoads(job, strategy, memories))

/** Loads of stages that differ. However a strategy shards its states, these stay the same. */
export const stageLoads = (job: TrainingJob, strategy: Strategy, memories: readonly LayerMemory[]): readonly StageLoad[] =>
  heldKinds(job, strategy, memories.length).map(({ stage, earliest }) => stageLoad(job, strategy, { stage, index: earliest, memories }))

/** What the search compares with the limit. */
export function worstNeed(job: TrainingJob, strategy: Strategy, loads: readonly StageLoad[]): DeviceNeed {
  let worst = NOTHING
  for (const load of loads) {
    const { weights, gradients, optimizer, gathered } = stateBytes(job, strategy, load)
    const transient = gathered + load.activations + load.logits + workingBytes(job, load)
    const need = deviceNeed(strategy, { allocated: weights + gradients + optimizer + transient, transient })
    if (highNeed(need) > highNeed(worst)) worst = need
  }
  return worst
}

const NOTHING: DeviceNeed = { likely: 0, spread: 0 }

/**
 * What a device's share of the host must hold when states lie there: master copy, moments and the gradients that come down (ZeRO-Offload, Ren
 * et al. 2021). Where they are on a drive, the part being updated is small compared with the gradients.
 */
export function hostBytes(job: TrainingJob, strategy: Strategy, loads: readonly StageLoad[]): number {
  if (strategy.optimizerOn === 'device') return 0
  const { policy } = job
  const by = strategy.shards === 'nothing' ? { dense: 1, routed: 1 } : shardingRanks(strategy)
  const perElement = policy.gradient + (strategy.optimizerOn === 'host' ? policy.master + policy.moments : 0)
  const elements = ({ dense, routed, adapters }: StageLoad): number =>
    policy.adapter ? adapters / by.dense : dense / by.dense + routed / by.routed
  return trainedModels(job) * perElement * loads.reduce((most, load) => Math.max(most, elements(load)), 0)
}

/** What each rank of the pipeline holds. DualPipe feeds it from both ends: a rank holds its own stage and the one opposite, each with its weights. */
function heldStages({ architecture }: TrainingJob, { schedule, pipeline }: Strategy, groups: number): readonly Stage[] {
  const stages = stagesOf(architecture.layout, groups, pipeline)
  return schedule === 'dualpipe' ? stages.map((stage, index) => joinedStages(stage, stages[pipeline - 1 - index] ?? stage)) : stages
}

const heldKinds = (job: TrainingJob, strategy: Strategy, groups: number): readonly Pick<StageKind, 'stage' | 'earliest'>[] =>
  strategy.schedule === 'dualpipe'
    ? heldStages(job, strategy, groups).map((stage, earliest) => ({ stage, earliest }))
    : stageKinds(job.architecture.layout, groups, strategy.pipeline)

const joinedStages = (own: Stage, opposite: Stage): Stage => ({
  layers: own.layers.map((count, at) => count + (opposite.layers[at] ?? 0)),
  first: own.first || opposite.first,
  last: own.last || opposite.last,
})

export type StageLoad = {
  readonly dense: number
  readonly routed: number
  readonly adapters: number
  /** Elements of token table and head, which stay in 16 bits where layers are quantized. */
  readonly ends: number
  readonly activations: number
  readonly logits: number
  readonly working: number
  readonly largestLayer: number
  /** Elements of one layer of each kind and of the head: every weight shape once. */
  readonly shapes: number
}

export type StagePosition = { readonly stage: Stage; readonly index: number; readonly memories: readonly LayerMemory[] }

export function stagePositions(weighed: MemoryInputs, strategy: Strategy): readonly StagePosition[] {
  const memories = localGroups(weighed.job, strategy).map((group) => layerMemory(weighed, group, strategy))
  return heldStages(weighed.job, strategy, memories.length).map((stage, index) => ({ stage, index, memories }))
}

/** Elements and activation bytes of one stage. */
export function stageLoad(job: TrainingJob, strategy: Strategy, { stage, index, memories }: StagePosition): StageLoad {
  const { recompute, tensor } = strategy
  const load = {
    dense: tiedCopy(job, strategy, stage),
    routed: 0,
    adapters: 0,
    ends: tiedCopy(job, strategy, stage),
    activations: 0,
    logits: 0,
    working: 0,
    largestLayer: 0,
    shapes: 0,
  }
  for (let at = 0; at < memories.length; at += 1) {
    const memory = memories[at]
    const group = job.architecture.groups[at]
    if (!memory || !group) continue
    const layers = stage.layers[at] ?? 0
    const output = stage.last && isOutput(group)
    if (output || (stage.first && isInput(group))) {
      load.dense += memory.parameters / tensor
      load.ends += memory.parameters / tensor
    }
    if (output) {
      load.logits += memory.saved.none
      load.shapes += memory.dense
    }
    if (layers === 0) continue
    load.dense += layers * memory.dense
    load.routed += layers * memory.routed
    load.adapters += layers * memory.adapters
    load.activations += layers * memory.saved[recompute]
    load.working = Math.max(load.working, memory.working[recompute])
    load.largestLayer = Math.max(load.largestLayer, memory.dense + memory.routed)
    load.shapes += memory.dense + memory.expertShape
  }
  load.activations *= inFlight(strategy, index, microbatchesOf(job, strategy))
  return load
}

/** A tied head on another stage than the table keeps a copy of it. */
const tiedCopy = ({ architecture }: TrainingJob, { pipeline, tensor }: Strategy, stage: Stage): number =>
  architecture.tied && pipeline > 1 && stage.last ? (architecture.vocabulary * architecture.width) / tensor : 0

/** ZeRO's numbers. */
export const STAGE_OF: Readonly<Record<Shards, number>> = { nothing: 0, optimizer: 1, gradients: 2, weights: 3 }

function stageMemory(job: TrainingJob, strategy: Strategy, load: StageLoad & { readonly stage: number }): StageMemory {
  const states = stateBytes(job, strategy, load)
  const terms = {
    ...states,
    activations: bytes(load.activations),
    logits: bytes(load.logits),
    working: bytes(workingBytes(job, load)),
  }
  const allocated = Object.values(terms).reduce((sum, term) => sum + term, 0)
  const transient = terms.gathered + terms.activations + terms.logits + terms.working
  const need = deviceNeed(strategy, { allocated, transient })
  const device = { low: bytes(lowNeed(need)), likely: bytes(need.likely), high: bytes(highNeed(need)), spread: bytes(need.spread) }
  return { stage: load.stage, terms, allocated: bytes(allocated), device }
}

const workingBytes = ({ dummyGradients, policy }: TrainingJob, { working, shapes }: StageLoad): number =>
  working + (dummyGradients ? policy.activation * shapes : 0)

/**
 * Under a pipeline, gradients are added up whole and scattered after the last microbatch, or every microbatch would be scattered: so do
 * torchtitan (`set_requires_gradient_sync`) and MegaScale (Jiang et al. 2024, once per chunk), and DeepSpeed allows ZeRO-1 at most.
 */
export const keepsWholeGradients = ({ shards, pipeline }: Pick<Strategy, 'shards' | 'pipeline'>): boolean =>
  shards === 'gradients' && pipeline > 1

/**
 * Share of a stage's gradients that lie whole under ZeRO-2. When one round of microbatches is all there is, the backward passes of a chunk
 * follow each other and it is scattered after them: the chunk at work and the one being scattered are whole (Llama Team 2024, section 3.3.2).
 */
export function wholeGradientShare(job: TrainingJob, strategy: Strategy): number {
  if (!keepsWholeGradients(strategy)) return 0
  const { virtual, pipeline } = strategy
  return microbatchesOf(job, strategy) <= pipeline ? Math.min(1, 2 / virtual) : 1
}

/** With FSDP the sharded weights are the master copy: what is gathered once and kept is a copy in the precision of the products. */
export const keepsGathered = ({ fullySharded }: PrecisionPolicy, strategy: Strategy): boolean =>
  fullySharded === true && (strategy.shards === 'optimizer' || strategy.shards === 'gradients') && shardingRanks(strategy).dense > 1

/** Models whose weights, gradients and states a device keeps. */
const trainedModels = ({ critic }: Pick<TrainingJob, 'critic'>): number => (critic ? 2 : 1)

type States = Readonly<Record<'weights' | 'gradients' | 'optimizer' | 'gathered', Bytes>>

function stateBytes(job: TrainingJob, strategy: Strategy, { dense, routed, adapters, ends, largestLayer }: StageLoad): States {
  const { policy } = job
  const by = shardingRanks(strategy)
  // The two ranks of a DualPipe that hold the same stages shard as one more pair of replicas.
  const pair = strategy.schedule === 'dualpipe' ? 2 : 1
  const level = STAGE_OF[strategy.shards]
  const whole = dense + routed
  const shard = (dense / by.dense + routed / by.routed) / pair
  // With adapters only the matrices added to the frozen base are trained.
  const trained = policy.adapter ? adapters : whole
  const trainedShard = policy.adapter ? trained / by.dense / pair : shard
  const [held, heldEnds] = level >= 3 ? [shard, ends / by.dense / pair] : [whole, ends]
  const base = policy.adapter ? policy.adapter.baseWeight * (held - heldEnds) + policy.activation * heldEnds : 0
  const weights = keepsGathered(policy, strategy)
    ? policy.weight * shard + policy.activation * whole
    : policy.weight * (level >= 3 ? trainedShard : trained)
  const reference = job.reference && !policy.adapter ? policy.activation * held : 0
  const gradients = level < 2 ? trained : trainedShard + wholeGradientShare(job, strategy) * (trained - trainedShard)
  const states = strategy.optimizerOn === 'device' ? (level >= 1 ? trainedShard : trained) : 0
  const models = trainedModels(job)
  const endStates = strategy.optimizerOn === 'device' && !policy.adapter ? (level >= 1 ? ends / by.dense / pair : ends) : 0
  return {
    weights: bytes(models * (base + weights) + reference),
    gradients: bytes(models * policy.gradient * gradients),
    optimizer: bytes(
      models * ((policy.master + policy.moments) * states + ((policy.endMoments ?? policy.moments) - policy.moments) * endStates),
    ),
    // The layer at work and the one being fetched, in the precision of the products.
    gathered: bytes(level === 3 && by.dense > 1 ? 2 * largestLayer * policy.activation : 0),
  }
}
