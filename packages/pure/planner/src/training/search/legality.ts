// Which strategies make sense at all, and the reason when one does not: the first limit that it breaks, in words.

import type { RecomputeModule } from '@ironlaw/contracts'
import type { Architecture } from '@ironlaw/models'
import type { TrainingJob } from '../job.ts'
import { devicesOf, type Strategy } from '../strategy.ts'

export type PlanFleet = { readonly devices: number; readonly perNode: number }

/** Undefined when the strategy is legal for the job on the fleet. */
export function illegality(job: TrainingJob, strategy: Strategy, fleet: PlanFleet): string | undefined {
  for (const rule of RULES) {
    const reason = rule(job, strategy, fleet)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** A search makes millions of these sentences, so the number is written without separators. */
const numbered = (value: number, noun: string): string => `${value} ${noun}${value === 1 ? '' : 's'}`

type Rule = (job: TrainingJob, strategy: Strategy, fleet: PlanFleet) => string | undefined

/** What of a model limits its division. */
export type DivisionLimits = { readonly heads: number; readonly kvHeads: number; readonly experts: number; readonly layers: number }

/** Remembered per model: a search asks for the same one millions of times. */
const KNOWN = new WeakMap<Architecture, DivisionLimits>()

export function divisionLimits({ architecture }: Pick<TrainingJob, 'architecture'>): DivisionLimits {
  const known = KNOWN.get(architecture)
  if (known) return known
  const layers = architecture.groups.flatMap((group) => group.layers)
  const attention = layers.find((layer) => layer.kind === 'attention' || layer.kind === 'latent-attention')
  const heads = attention?.kind === 'attention' || attention?.kind === 'latent-attention' ? attention.heads : 1
  const made = {
    heads,
    kvHeads: attention?.kind === 'attention' ? attention.kvHeads : heads,
    experts: layers.reduce((most, layer) => (layer.kind === 'moe' ? Math.max(most, layer.experts) : most), 1),
    layers: architecture.layout.length,
  }
  KNOWN.set(architecture, made)
  return made
}

const devices: Rule = (_, strategy, fleet) =>
  devicesOf(strategy) === fleet.devices
    ? undefined
    : `tensor ${strategy.tensor} x context ${strategy.context} x pipeline ${strategy.pipeline} x data ${strategy.data} is ${numbered(devicesOf(strategy), 'device')}, not ${fleet.devices}`

const tensorInNode: Rule = (_, { tensor }, { perNode }) =>
  tensor <= perNode
    ? undefined
    : `tensor ${tensor} leaves the node of ${perNode} devices: every layer would wait for the network between nodes`

const tensorHeads: Rule = (job, { tensor }) => {
  const { heads, kvHeads } = divisionLimits(job)
  if (heads % tensor !== 0) return `tensor ${tensor} does not divide the ${heads} attention heads`
  return kvHeads % tensor === 0 || tensor % kvHeads === 0
    ? undefined
    : `tensor ${tensor} and the ${kvHeads} key-value heads do not divide each other`
}

/** An all-to-all hands out whole heads. */
const contextHeads: Rule = (job, { context, contextBy, tensor }) =>
  contextBy === 'ring' || divisionLimits(job).kvHeads % (tensor * context) === 0
    ? undefined
    : `context ${context} by all-to-all does not divide the ${divisionLimits(job).kvHeads} key-value heads among tensor ${tensor}`

const pipelineLayers: Rule = (job, { pipeline, virtual }) => {
  const { layers } = divisionLimits(job)
  if (pipeline * virtual > layers)
    return `pipeline ${pipeline}${virtual > 1 ? ` with ${virtual} chunks each` : ''} needs more than the ${numbered(layers, 'layer')} the model has`
  // Chunks may differ by a layer, and embedding and head stand in for one each (126 layers in 128 places), if no rank gets more for it.
  const perChunk = Math.ceil(layers / (pipeline * virtual))
  const even = virtual * perChunk === Math.ceil(layers / pipeline) || (layers + 2) % (pipeline * virtual) === 0
  return virtual === 1 || even ? undefined : `${layers} layers do not divide into ${pipeline} x ${virtual} chunks`
}

const schedules: Rule = (job, { schedule, pipeline, virtual, data, microbatch }) => {
  if (virtual > 1 !== (schedule === 'interleaved'))
    return virtual > 1
      ? `${virtual} chunks per rank need the interleaved schedule`
      : 'the interleaved schedule needs more than one chunk per rank'
  if (schedule !== '1f1b' && pipeline === 1) return `the ${schedule} schedule needs a pipeline`
  const microbatches = job.globalBatch / (data * microbatch)
  if (schedule === 'dualpipe' && (pipeline % 2 !== 0 || microbatches % 2 !== 0 || microbatches < 2 * pipeline))
    return `dualpipe runs from both ends: pipeline ${pipeline} must be even, and ${microbatches} microbatches even and at least ${2 * pipeline}`
  return schedule === 'interleaved' && microbatches % pipeline !== 0
    ? `${microbatches} microbatches are not a multiple of pipeline ${pipeline}, as interleaving requires`
    : undefined
}

const batch: Rule = ({ globalBatch }, { data, microbatch }) =>
  globalBatch % (data * microbatch) === 0
    ? undefined
    : `data ${data} x microbatch ${microbatch} does not divide the global batch of ${globalBatch} sequences`

const pairs: Rule = ({ pairs: paired }, { microbatch }) =>
  paired && microbatch % 2 !== 0 ? `dpo takes both answers of a pair in one pass: microbatch ${microbatch} must be even` : undefined

const sequences: Rule = ({ sequence }, { tensor, sequenceParallel, context }) => {
  const parts = context * (sequenceParallel ? tensor : 1)
  if (sequenceParallel && tensor === 1) return 'sequence parallelism needs more than one tensor-parallel rank'
  return sequence % parts === 0 ? undefined : `a sequence of ${sequence} tokens does not divide by ${parts}`
}

const experts: Rule = (job, { expert, tensor, context, data }) => {
  const count = divisionLimits(job).experts
  if (expert > 1 && count === 1) return `expert ${expert}: the model has no experts`
  if (count % expert !== 0) return `expert ${expert} does not divide the ${count} experts`
  return (tensor * context * data) % expert === 0
    ? undefined
    : `expert ${expert} does not divide the ${numbered(tensor * context * data, 'rank')} of a stage`
}

/** `overlap_moe_expert_parallel_comm` of Megatron-Core (transformer_config.py): what runs beside a pass must be another one's, and stay whole. */
const expertOverlap: Rule = (
  _,
  { expertOverlap: overlaps, expert, pipeline, virtual, schedule, dispatcher, recompute, recomputeModules },
) => {
  if (overlaps !== true) return undefined
  if (expert === 1) return 'expertOverlap: without expert parallelism no tokens are exchanged'
  if (dispatcher === 'allgather') return 'expertOverlap: the allgather dispatcher cannot be overlapped; use alltoall, deepep or hybridep'
  if (pipeline > 1 && virtual === 1 && schedule !== 'dualpipe')
    return `expertOverlap: with pipeline ${pipeline} the schedule must be interleaved or dualpipe`
  if (recompute === 'full' || recomputeModules?.includes('moe') === true)
    return 'expertOverlap: experts that are recomputed exchange again where nothing hides it; leave out full recomputation and the module moe'
  return undefined
}

const dispatchers: Rule = (_, strategy, fleet) => dispatcherProblem(strategy, fleet)

type Dispatch = Pick<Strategy, 'expert' | 'dispatcher' | 'dispatchPrecision'>

export function dispatcherProblem({ expert, dispatcher, dispatchPrecision }: Dispatch, { perNode }: PlanFleet): string | undefined {
  if (expert === 1)
    return dispatcher === undefined && dispatchPrecision === undefined
      ? undefined
      : 'a dispatcher sends tokens among expert-parallel ranks: expert is 1'
  if (dispatchPrecision === 'fp8' && dispatcher !== 'deepep' && dispatcher !== 'hybridep')
    return `dispatcher ${dispatcher ?? 'alltoall'} sends tokens as they are: fp8 needs deepep or hybridep`
  return dispatcher === 'deepep' && perNode > DEEPEP_NODE
    ? `deepep spans nodes of ${DEEPEP_NODE} devices, not links that join ${perNode}: use hybridep`
    : undefined
}

/** `NUM_MAX_NVL_PEERS` of DeepEP. */
const DEEPEP_NODE = 8

const recomputedModules: Rule = ({ architecture }, { recompute, recomputeModules }) => {
  if (!recomputeModules) return undefined
  if (recompute !== 'selective') return `recomputeModules belong to selective recomputation, not "${recompute}"`
  const kinds = layerKinds(architecture)
  const missing = recomputeModules.find((module) => !(NEEDED_LAYER[module] ?? []).every((kind) => kinds.has(kind)))
  return missing === undefined ? undefined : `recomputeModules: the model has nothing that "${missing}" would cover`
}

const NEEDED_LAYER: Readonly<Partial<Record<RecomputeModule, readonly LayerKind[]>>> = {
  mla_up_proj: ['latent-attention'],
  moe_act: ['moe'],
  moe: ['moe'],
  mlp: ['mlp'],
}

type LayerKind = Architecture['groups'][number]['layers'][number]['kind']

/** Remembered per model, as its limits are. */
const KINDS = new WeakMap<Architecture, ReadonlySet<LayerKind>>()

export function layerKinds(architecture: Architecture): ReadonlySet<LayerKind> {
  const known = KINDS.get(architecture) ?? new Set(architecture.groups.flatMap(({ layers }) => layers.map(({ kind }) => kind)))
  KINDS.set(architecture, known)
  return known
}

const groups: Rule = (_, { shardGroup, shards, data, context }) => {
  if (shardGroup === undefined) return undefined
  if (shards === 'nothing') return `a shard group of ${shardGroup} divides nothing: shards is "nothing"`
  return (data * context) % shardGroup === 0
    ? undefined
    : `a shard group of ${shardGroup} does not divide the ${numbered(data * context, 'replica')}`
}

const RULES: readonly Rule[] = [
  devices,
  tensorInNode,
  tensorHeads,
  contextHeads,
  pipelineLayers,
  schedules,
  batch,
  pairs,
  sequences,
  experts,
  dispatchers,
  expertOverlap,
  recomputedModules,
  groups,
]
