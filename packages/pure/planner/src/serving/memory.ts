// What fits: the weights of one device, what is left for the cache, and how many tokens that holds.

import { cacheBytes, cacheOf, type ModelPart, parameterCounts, tensorList } from '@ironlaw/models'
import { adaptedProduct, adapterProductBytes, adaptersInStep } from './adapters.ts'
import { expertSlots } from './layout.ts'
import { CACHE_BYTES } from './precision.ts'
import type { ReplicaDesign } from './replica-design.ts'
import { draftReplica, predictionLayers } from './speculation.ts'
import { servedOperators } from './token-time.ts'

export type ServingMemory = {
  /** Of the fullest device. */
  readonly weights_bytes: number
  /** Context of the driver, buffers of the collectives, activations of the largest step. */
  readonly working_bytes: number
  readonly cache_bytes: number
  /** Of one token on the devices that hold it, per device. */
  readonly token_bytes: number
  /** Recurrent state of one sequence, per device. */
  readonly state_bytes: number
  /** Tokens that the cache of the whole replica holds. */
  readonly tokens: number
}

/** A CUDA context with the libraries' workspaces, and buffers per peer: 1.5 to 2.5 GB in logs of vLLM. */
const CONTEXT_BYTES = 1.5e9
/** Copies of a step's activations alive at once in the widest block, of 2 bytes. */
const LIVE_COPIES = 6
/** Graphs of decode steps keep their own pools. */
const GRAPH_BYTES = 0.7e9
/** Tokens per block of the paged cache: half of one is lost per request. */
const BLOCK_TOKENS = 16

export function servingMemory(replica: ReplicaDesign): ServingMemory {
  const { architecture, machine, layout, runtime, cache } = replica
  const draft = draftReplica(replica)
  const adapters = replica.adapters ? adaptersInStep(replica.adapters, Infinity) * adapterBytes(replica) : 0
  const weights_bytes = weightBytes(replica) + draftWeights(replica) + adapters
  const working_bytes = CONTEXT_BYTES + GRAPH_BYTES + 2 * LIVE_COPIES * runtime.tokensPerStep * architecture.width
  const bytes = CACHE_BYTES[cache]
  const { perToken, state } = cacheOf(architecture, { cache: bytes, state: 4 })
  const division = cacheDivision(replica) * layout.pipeline
  const cached = (perToken / division) * predictionShare(replica) + (draft ? draftTokenBytes(draft) : 0)
  // A model that answers in one pass holds its input while it works, and nothing after.
  const token_bytes = cached > 0 || state > 0 ? cached : 2 * architecture.width
  const cache_bytes = Math.max(0, machine.memory_bytes * runtime.memoryShare - weights_bytes - working_bytes)
  return {
    weights_bytes,
    working_bytes,
    cache_bytes,
    token_bytes,
    state_bytes: state / (layout.tensor * layout.pipeline),
    tokens: (cache_bytes / token_bytes) * layout.data,
  }
}

/** One adapter on one device. */
export function adapterBytes(replica: ReplicaDesign): number {
  const { adapters, layout } = replica
  if (!adapters) return 0
  const { operators } = servedOperators(replica.architecture, 'decode')
  return operators.reduce((sum, operator) => {
    const product = adaptedProduct(replica, operator)
    return sum + (product ? (operator.count * adapterProductBytes(adapters, product)) / layout.pipeline : 0)
  }, 0)
}

/** Of the fullest device. */
function weightBytes(replica: ReplicaDesign): number {
  const { layout } = replica
  const { byPart } = parameterCounts(replica.architecture)
  const tables = (2 * ((byPart.embedding ?? 0) + (byPart.head ?? 0) + (byPart.position ?? 0))) / layout.tensor
  return blockBytes(replica, byPart) / layout.pipeline + tables / Math.min(2, layout.pipeline)
}

function blockBytes(replica: ReplicaDesign, byPart: Readonly<Partial<Record<ModelPart, number>>>): number {
  const { precision, layout } = replica
  const part = (name: ModelPart): number => byPart[name] ?? 0
  return (
    (part('experts') * slotShare(replica) * precision.experts.bytes) / (layout.tensor * layout.data) +
    (part('mlp') * precision.dense.bytes + (part('attention') + part('state-space')) * precision.attention.bytes) / layout.tensor +
    2 * (part('router') + part('norm') + part('convolution') + part('projection'))
  )
}

/** Of whatever proposes tokens. A head on the model reads its token table, and in EAGLE-1 its output projection too. */
export function draftWeights(replica: ReplicaDesign): number {
  const { speculation } = replica
  const draft = draftReplica(replica)
  if (!draft) return predictionBytes(replica)
  if (speculation?.method === 'draft') return weightBytes(draft)
  const { byPart } = parameterCounts(draft.architecture)
  return blockBytes(draft, byPart) + (speculation?.method === 'eagle3' ? (2 * (byPart.head ?? 0)) / draft.layout.tensor : 0)
}

const isPredicting = ({ speculation, architecture }: ReplicaDesign): boolean =>
  speculation?.method === 'mtp' && predictionLayers(architecture) > 0

/** The layers that predict further tokens, held by the last stage. */
function predictionBytes(replica: ReplicaDesign): number {
  if (!isPredicting(replica)) return 0
  const byPart: Partial<Record<ModelPart, number>> = {}
  for (const { stack, part, count, shape } of tensorList(replica.architecture))
    if (stack === 'prediction') byPart[part] = (byPart[part] ?? 0) + count * shape.reduce((product, size) => product * size, 1)
  return blockBytes(replica, byPart)
}

/** Those layers keep keys and values as the others do. */
const predictionShare = (replica: ReplicaDesign): number =>
  isPredicting(replica) ? 1 + predictionLayers(replica.architecture) / replica.architecture.layout.length : 1

function draftTokenBytes(draft: ReplicaDesign): number {
  const { perToken } = cacheOf(draft.architecture, { cache: CACHE_BYTES[draft.cache], state: 4 })
  return perToken / cacheDivision(draft)
}

/** Places for experts against experts: more than one where their number does not divide. */
function slotShare({ architecture, layout }: ReplicaDesign): number {
  const moe = architecture.groups.flatMap(({ layers }) => layers).find((layer) => layer.kind === 'moe')
  return moe?.kind === 'moe' ? expertSlots(moe.experts, layout.expert) / moe.experts : 1
}

/** By how much tensor parallelism divides the cache: by key-value heads at most, and a latent not at all. */
function cacheDivision({ architecture, layout }: ReplicaDesign): number {
  const layers = architecture.groups.flatMap(({ layers: each }) => each)
  const attention = layers.find((layer) => layer.kind === 'attention')
  return attention?.kind === 'attention' ? Math.min(layout.tensor, attention.kvHeads) : 1
}

/** The cache of one sequence on each device that holds it, its recurrent state included: windows cap what their layers keep. */
export function sequenceBytes(replica: ReplicaDesign, tokens: number): number {
  const { architecture, layout, cache } = replica
  const precision = { cache: CACHE_BYTES[cache], state: 4 }
  const { state } = cacheOf(architecture, precision)
  const keys = cacheBytes(architecture, precision, { tokens }) - state
  return keys / (cacheDivision(replica) * layout.pipeline) + state / (layout.tensor * layout.pipeline)
}

/** How many requests of `tokens` tokens the cache holds at once, each wasting half a block. */
export function requestsHeld(memory: ServingMemory, tokens: number): number {
  const perRequest = (tokens + BLOCK_TOKENS / 2) * memory.token_bytes + memory.state_bytes
  return Math.floor((memory.tokens * memory.token_bytes) / perRequest)
}
