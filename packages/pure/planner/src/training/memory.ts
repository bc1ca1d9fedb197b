// The memory account of a training step, per pipeline stage: states, activations, logits, buffers, and what the allocator and the
// driver take, the last two with a range because no formula holds them.

import { type Bytes, bytes } from '@ironlaw/units'
import { inFlight } from './in-flight.ts'
import type { TrainingJob } from './job.ts'
import { type LayerMemory, layerMemory } from './layer-memory.ts'
import { localGroups } from './local-operators.ts'
import { microbatchesOf } from './microbatches.ts'
import { isInput, isOutput, type Stage, stageKinds, stagesOf } from './stages.ts'
import { devicesOf, type Shards, type Strategy } from './strategy.ts'

export type MemoryTerm = 'weights' | 'gradients' | 'optimizer' | 'activations' | 'logits' | 'working' | 'gathered'

export type StageMemory = {
  readonly stage: number
  readonly terms: Readonly<Record<MemoryTerm, Bytes>>
  /** What the framework's allocator holds at the peak: the sum of the terms. */
  readonly allocated: Bytes
  /** Allocated, fragmentation, and what lies outside the allocator (driver context, libraries, communicators). */
  readonly device: { readonly low: Bytes; readonly likely: Bytes; readonly high: Bytes }
}

export type MemoryAccount = { readonly stages: readonly StageMemory[]; readonly worst: StageMemory }

/** Reserved over allocated: 43 runs on B200 with Megatron span 1.01 to 1.10, median 1.04. */
const FRAGMENTATION = { low: 1.01, likely: 1.04, high: 1.1 }
/** Driver context, cuBLAS and cuDNN workspaces: outside the allocator, 0.5 to 1.5 GB on data-centre cards. */
const CONTEXT = { low: 0.5e9, likely: 0.9e9, high: 1.5e9 }
/** Buffers of one NCCL communicator with its default channels. */
const COMMUNICATOR = { low: 0.05e9, likely: 0.15e9, high: 0.4e9 }

export function memoryAccount(
  job: TrainingJob,
  strategy: Strategy,
  memories: readonly LayerMemory[] = memoriesOf(job, strategy),
): MemoryAccount {
  const stages = stagesOf(job.architecture.layout, memories.length, strategy.pipeline).map((stage, index) =>
    stageMemory(job, strategy, { ...stageLoad(job, strategy, { stage, index, memories }), stage: index }),
  )
  return { stages, worst: stages.reduce((worst, stage) => (stage.allocated > worst.allocated ? stage : worst)) }
}

/** The largest likely need of any device: what the search compares with the limit. */
export function worstMemory(job: TrainingJob, strategy: Strategy, memories: readonly LayerMemory[]): number {
  let worst = 0
  for (const { stage, earliest } of stageKinds(job.architecture.layout, memories.length, strategy.pipeline)) {
    const load = stageLoad(job, strategy, { stage, index: earliest, memories })
    const { weights, gradients, optimizer, gathered } = stateBytes(job, strategy, load)
    const allocated = weights + gradients + optimizer + gathered + load.activations + load.logits + workingBytes(job, load)
    worst = Math.max(worst, deviceBytes(strategy, allocated, 'likely'))
  }
  return worst
}

const memoriesOf = (job: TrainingJob, strategy: Strategy): readonly LayerMemory[] =>
  localGroups(job, strategy).map((group) => layerMemory(job, group))

type Load = {
  readonly dense: number
  readonly routed: number
  readonly adapterPerRank: number
  readonly activations: number
  readonly logits: number
  readonly working: number
  readonly largestLayer: number
  /** Elements of one layer of each kind and of the head: every weight shape once. */
  readonly shapes: number
}

type Place = { readonly stage: Stage; readonly index: number; readonly memories: readonly LayerMemory[] }

/** Elements and activation bytes of one stage. */
function stageLoad(job: TrainingJob, strategy: Strategy, { stage, index, memories }: Place): Load {
  const { recompute, tensor } = strategy
  const load = {
    dense: tiedCopy(job, strategy, stage),
    routed: 0,
    adapterPerRank: 0,
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
    if (output || (stage.first && isInput(group))) load.dense += memory.parameters / tensor
    if (output) {
      load.logits += memory.saved.none
      load.shapes += memory.dense
    }
    if (layers === 0) continue
    load.dense += layers * memory.dense
    load.routed += layers * memory.routed
    load.adapterPerRank += layers * memory.adapterPerRank
    load.activations += layers * memory.saved[recompute]
    load.working = Math.max(load.working, memory.working[recompute])
    load.largestLayer = Math.max(load.largestLayer, memory.dense + memory.routed)
    load.shapes += memory.dense + memory.expertShape
  }
  load.activations *= inFlight(strategy, index, microbatchesOf(job, strategy))
  if (stage.last && job.loss === 'unfused') load.logits += fullLogits(job, strategy)
  return load
}

/** A tied head on another stage than the table keeps a copy of it. */
const tiedCopy = ({ architecture }: TrainingJob, { pipeline, tensor }: Strategy, stage: Stage): number =>
  architecture.tied && pipeline > 1 && stage.last ? (architecture.vocabulary * architecture.width) / tensor : 0

const fullLogits = ({ architecture, sequence }: TrainingJob, { microbatch, context, tensor }: Strategy): number =>
  (4 * microbatch * sequence * architecture.vocabulary) / (context * tensor)

const STAGE_OF: Readonly<Record<Shards, number>> = { nothing: 0, optimizer: 1, gradients: 2, weights: 3 }

function stageMemory(job: TrainingJob, strategy: Strategy, load: Load & { readonly stage: number }): StageMemory {
  const states = stateBytes(job, strategy, load)
  const terms = {
    ...states,
    activations: bytes(load.activations),
    logits: bytes(load.logits),
    working: bytes(workingBytes(job, load)),
  }
  const allocated = Object.values(terms).reduce((sum, term) => sum + term, 0)
  const device = {
    low: deviceBytes(strategy, allocated, 'low'),
    likely: deviceBytes(strategy, allocated, 'likely'),
    high: deviceBytes(strategy, allocated, 'high'),
  }
  return { stage: load.stage, terms, allocated: bytes(allocated), device }
}

const workingBytes = ({ dummyGradients, policy }: TrainingJob, { working, shapes }: Load): number =>
  working + (dummyGradients ? policy.activation * shapes : 0)

function deviceBytes({ tensor, context, pipeline, expert, data }: Strategy, allocated: number, bound: 'low' | 'likely' | 'high'): Bytes {
  const communicators = Number(tensor > 1) + Number(context > 1) + Number(pipeline > 1) + Number(expert > 1) + Number(data > 1)
  return bytes(allocated * FRAGMENTATION[bound] + CONTEXT[bound] + communicators * COMMUNICATOR[bound])
}

type States = Readonly<Record<'weights' | 'gradients' | 'optimizer' | 'gathered', Bytes>>

function stateBytes({ policy }: TrainingJob, strategy: Strategy, { dense, routed, adapterPerRank, largestLayer }: Load): States {
  const ranks = strategy.data * strategy.context
  const shardsOf = (available: number): number => Math.min(strategy.shardGroup ?? available, available)
  const denseBy = shardsOf(ranks)
  const routedBy = shardsOf(Math.max(1, devicesOf(strategy) / strategy.pipeline / strategy.expert))
  const level = STAGE_OF[strategy.shards]
  const divided = (perParameter: number, from: number, counts = { dense, routed }): number =>
    perParameter * (level >= from ? counts.dense / denseBy + counts.routed / routedBy : counts.dense + counts.routed)
  const trained = policy.adapter ? { dense: policy.adapter.rank * adapterPerRank, routed: 0 } : { dense, routed }
  const base = policy.adapter ? divided(policy.adapter.baseWeight, 3) : 0
  return {
    weights: bytes(base + divided(policy.weight, 3, trained)),
    gradients: bytes(divided(policy.gradient, 2, trained)),
    optimizer: bytes(strategy.optimizerOn === 'host' ? 0 : divided(policy.master + policy.moments, 1, trained)),
    // The layer at work and the one being fetched, in the precision of the products.
    gathered: bytes(level === 3 && ranks > 1 ? 2 * largestLayer * policy.activation : 0),
  }
}
