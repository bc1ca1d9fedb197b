// The time of one layer on one device for one microbatch, split by cause: the unit from which every step is composed.

import { ATTENTION_BACKWARD, type AttentionWork, attentionTime, gemmTime, VECTOR_EFFICIENCY, vectorTime } from '../../machine/kernels.ts'
import { collectiveTime, sendTime, spanOf } from '../../machine/fabric.ts'
import type { RecomputeModule } from '@ironlaw/contracts'
import { boundedOverlap } from '@ironlaw/laws/collective/measured'
import { bare } from '@ironlaw/laws/law'
import type { Setup, TrainingJob } from '../job.ts'
import type { Machine } from '../../machine/machine.ts'
import { type Division, type LocalGroup, type LocalOperator, localProduct } from './local-operators.ts'
import { adapterCount, adapterTime, dequantizeTime, isQuantized } from '../memory/adapters.ts'
import { runsAgain } from '../memory/recompute-modules.ts'
import { expertExchangeTime } from './expert-exchange.ts'

const hiddenTime = bare(boundedOverlap)

export type LayerTime = {
  readonly forward: Work
  readonly backward: Work
  /** Recomputing the attention core alone, and the whole forward pass, before the backward pass. */
  readonly again: { readonly selective: number; readonly full: number }
}

export type Work = {
  readonly products: number
  readonly attention: number
  readonly vector: number
  /** Exposed exchange, by the axis that causes it. */
  readonly tensor: number
  readonly context: number
  readonly expert: number
  /** The rest of each exchange: on the links while the device computes. */
  readonly hiddenTensor: number
  readonly hiddenContext: number
  readonly hiddenExpert: number
}

/** Time of FlashAttention-2 against the curves' kernels: 1.5 to 2 on Hopper (Shah et al., FlashAttention-3, 2024). */
const FLASH_2 = { ampere: 1, ada: 1, hopper: 1.65, blackwell: 2.2 } as const

/** Batched products of attention: short inner dimension, so well below large products. */
const BATCHED_EFFICIENCY = 0.5

/** Of a ring that attention hides, the first message still waits. */
const RING_EXPOSED = 0.05

/** Rows of a tile, and how many of them an expert's last tile wastes on average in kernels that pack experts. */
const TILE = 128
const TILE_WASTE = 48

/** Elementwise work backward reads the gradient besides what it read forward. */
const VECTOR_BACKWARD = 1.5

export const workTime = ({ products, attention, vector, tensor, context, expert }: Work): number =>
  products + attention + vector + tensor + context + expert

export const summedWork = ({ forward, backward }: LayerTime): Work => ({
  products: forward.products + backward.products,
  attention: forward.attention + backward.attention,
  vector: forward.vector + backward.vector,
  tensor: forward.tensor + backward.tensor,
  context: forward.context + backward.context,
  expert: forward.expert + backward.expert,
  hiddenTensor: forward.hiddenTensor + backward.hiddenTensor,
  hiddenContext: forward.hiddenContext + backward.hiddenContext,
  hiddenExpert: forward.hiddenExpert + backward.hiddenExpert,
})

export function layerTime(setup: Setup, group: LocalGroup, division: Division): LayerTime {
  const alone = {
    forward: passOf(setup, { group, division, backward: false }),
    backward: passOf(setup, { group, division, backward: true }),
  }
  const share = division.schedule === 'dualpipe' ? DUALPIPE_OVERLAP : setup.machine.runtime.expertOverlap
  const weights = setup.job.policy.adapter ? 0 : alone.backward.products / 2
  const { forward, backward } = division.expertOverlap === true ? withOverlap({ share, weights }, alone) : alone
  const again = { selective: selectiveTime(setup, { group, division, forward }), full: workTime(forward) }
  return { forward: setup.job.reference ? repeated(forward) : forward, backward, again }
}

/** All but what the processors that send take from the products: 20 of 132 (DeepSeek-V3 report, 2024, section 3.2.2). */
const DUALPIPE_OVERLAP = 1 - 20 / 132

type Passes = { readonly forward: Work; readonly backward: Work }

/**
 * A forward pass of one microbatch beside a backward pass of another: the exchanges of each travel under the products of the other. Gradients
 * of weights, half of the products backward unless those are frozen, wait for nobody and are put under the exchanges of their own pass
 * (`--delay-wgrad-compute`).
 */
function withOverlap({ share, weights }: { share: number; weights: number }, { forward, backward }: Passes): Passes {
  const hidden = (exchangeTime: number, workTime: number): number => hiddenTime({ exchangeTime, overlapShare: share, workTime })
  return {
    forward: withHiddenExperts(forward, hidden(forward.expert, computeTime(backward) - weights)),
    backward: withHiddenExperts(backward, hidden(backward.expert, computeTime(forward) + weights)),
  }
}

const computeTime = ({ products, attention, vector }: Work): number => products + attention + vector

const withHiddenExperts = (work: Work, hidden: number): Work => ({ ...work, expert: work.expert - hidden, hiddenExpert: hidden })

/** The reference model does the same once more. */
const repeated = (work: Work): Work => summedWork({ forward: work, backward: work, again: { selective: 0, full: 0 } })

/** What `selective` computes again: module by module in Megatron, a share of the products where it goes operator by operator. */
function selectiveTime(setup: Setup, { group: { operators }, division, forward }: Recomputed): number {
  const { runtime } = setup.machine
  if (runtime.selectiveShare > 0) return runtime.selectiveShare * (forward.products + forward.vector)
  const modules = division.recomputeModules ?? CORE
  let time = modules.includes('moe') ? forward.expert : 0
  for (const local of operators) if (runsAgain(modules, local)) time += operatorTime(setup, local, false)
  return time
}

type Recomputed = { readonly group: LocalGroup; readonly division: Division; readonly forward: Work }

const CORE: readonly RecomputeModule[] = ['core_attn']

type Pass = { readonly group: LocalGroup; readonly division: Division; readonly backward: boolean }

function passOf(setup: Setup, { group, division, backward }: Pass): Work {
  const { machine } = setup
  const work = { products: 0, attention: 0, vector: 0 }
  for (const local of group.operators) work[kernelOf(local)] += operatorTime(setup, local, backward)
  const { products, attention, vector } = work
  const exchange = exchangeTime(setup, { group, division, backward })
  // Products hide the exchange through buffers that ranks write into each other's memory, and no further than the links inside a node reach.
  const tensorOverlap = division.tensor > machine.fabric.perNode ? 0 : machine.runtime.tensorOverlap
  const hiddenTensor = hiddenTime({ exchangeTime: exchange.tensor, overlapShare: tensorOverlap, workTime: products })
  const ringOverlap = division.contextBy === 'ring' ? attention : 0
  const exposedContext = exchange.context === 0 ? 0 : Math.max(exchange.context - ringOverlap, exchange.context * RING_EXPOSED)
  return {
    products,
    attention,
    vector,
    tensor: exchange.tensor - hiddenTensor,
    context: exposedContext,
    expert: exchange.expert,
    hiddenTensor,
    hiddenContext: exchange.context - exposedContext,
    hiddenExpert: 0,
  }
}

/** The cause that an operator's time belongs to. */
export function kernelOf({ operator: { kind } }: LocalOperator): 'products' | 'attention' | 'vector' {
  return kind === 'gemm' || kind === 'grouped-gemm' ? 'products' : kind === 'attention' ? 'attention' : 'vector'
}

export function operatorTime(setup: Setup, local: LocalOperator, backward: boolean): number {
  switch (local.operator.kind) {
    case 'gemm':
      return productTime(setup, local, backward)
    case 'grouped-gemm':
      return groupedTime(setup, local, backward)
    case 'attention':
      return coreTime(setup, local, backward)
    case 'scan':
    case 'convolution':
    case 'lookup':
    case 'vector':
      return elementwiseTime(setup.machine, local, backward)
  }
}

/** Traffic per weight of adding its gradient to those of earlier microbatches. */
export const accumulatedBytes = ({ policy: { gradient, addsApart } }: TrainingJob): number => (addsApart === true ? 4 : 2) * gradient

/** Forward one product; backward two of the same size, for the input and for the weights, the latter added into what is kept of gradients. */
function productTime({ machine, job }: Setup, local: LocalOperator, backward: boolean): number {
  const { silicon, engine, curve } = machine
  const { operator } = local
  if (operator.kind !== 'gemm') return 0
  const form = silicon.gemm[curve] ?? silicon.gemm['bf16']
  if (!form) return 0
  const { m, n, k } = localProduct(operator, local)
  // Frozen weights need no gradient of their own.
  if (job.policy.adapter)
    return gemmTime(form, engine, backward ? { m, n: k, k: n } : { m, n, k }) + besideFrozen({ machine, job }, local, backward)
  if (!backward) return gemmTime(form, engine, { m, n, k })
  const accumulate = (accumulatedBytes(job) * n * k) / (engine.bandwidth * form.memory)
  return gemmTime(form, engine, { m, n: k, k: n }) + gemmTime(form, engine, { m: n, n: k, k: m }) + accumulate
}

/** What a frozen product costs in addition: its weights in 16 bits where they are quantized, and its adapters. */
function besideFrozen({ machine: { silicon, engine, runtime }, job: { policy } }: Setup, local: LocalOperator, backward: boolean): number {
  const { operator } = local
  const form = silicon.gemm['bf16']
  const { adapter } = policy
  if (!adapter || !form || operator.kind !== 'gemm') return 0
  const { m, n, k } = localProduct(operator, local)
  const unpacked = isQuantized(adapter, local) ? dequantizeTime(adapter, engine, n * k) : 0
  const count = adapterCount({ adapter, per: runtime.adaptersPer }, local)
  return count === 0 ? unpacked : unpacked + count * adapterTime(adapter, { form, engine }, { m, n: n / count, k, backward })
}

/** Products of all experts on the device. Kernels fill the machine with tiles of all of them, so it is one product of all rows, each expert padded towards a whole tile. */
function groupedTime({ machine, job }: Setup, local: LocalOperator, backward: boolean): number {
  const { operator, weightsBy, workBy } = local
  const { silicon, engine, curve } = machine
  if (operator.kind !== 'grouped-gemm') return 0
  const form = silicon.gemm[curve] ?? silicon.gemm['bf16']
  if (!form) return 0
  const groups = operator.groups / weightsBy
  const rows = (operator.m * weightsBy) / workBy
  const padded = groups * Math.max(rows, Math.min(TILE, rows + TILE_WASTE))
  const { adapter } = job.policy
  const unpacked = adapter && isQuantized(adapter, local) ? dequantizeTime(adapter, engine, groups * operator.n * operator.k) : 0
  const one =
    gemmTime(form, engine, { m: padded, n: operator.n, k: operator.k }) +
    (groups * operator.n * operator.k * form.weightBytes) / (engine.bandwidth * form.memory)
  const cast = curve === 'bf16' ? 0 : castTime(machine, { groups, elements: groups * rows * (backward ? operator.n : operator.k) })
  if (!backward || job.policy.adapter) return one + cast + unpacked
  return 2 * one + cast + (accumulatedBytes(job) * groups * operator.n * operator.k) / (engine.bandwidth * form.memory)
}

/** Read in 16 bits, written in 8 along rows and along columns. */
const CAST_BYTES = 4

/**
 * What products of experts wait for in 8 bits: their input forward and their gradient backward are cast down and their scales reordered, expert
 * by expert. A dense layer's casts are fused with what comes before and part of `vectorPasses`.
 */
const castTime = ({ engine, runtime }: Machine, { groups, elements }: { groups: number; elements: number }): number =>
  groups * runtime.expertCast_s + vectorTime(engine, elements * CAST_BYTES)

function coreTime({ machine, job }: Setup, { operator, workBy, weightsBy }: LocalOperator, backward: boolean): number {
  const { silicon, engine, runtime } = machine
  if (operator.kind !== 'attention') return 0
  const heads = operator.heads / weightsBy
  const context = workBy / weightsBy
  if (job.attention === 'unfused') {
    const scores = (operator.sequences * heads * operator.queries * operator.keys) / context
    // Scores and values as batched products over the full square; around them softmax (with its mask) and dropout pass over the
    // scores: forward one product writes them, softmax and dropout each read and write, one product reads; backward the same for
    // their gradients, with the probabilities read once more.
    const flops = 2 * scores * (operator.keyWidth + operator.valueWidth) * (backward ? 2 : 1)
    const element = job.policy.activation
    const passes = backward ? 7 * element + (job.dropout ? 2 * element + 1 : 0) : 4 * element + (job.dropout ? 2 * element + 1 : 0)
    return flops / (engine.attentionPeak * BATCHED_EFFICIENCY) + (scores * passes) / (engine.bandwidth * VECTOR_EFFICIENCY)
  }
  const form = silicon.attention['bf16']
  if (!form) return 0
  const work: AttentionWork = {
    sequences: operator.sequences,
    queries: operator.queries / context,
    heads,
    kvHeads: Math.max(1, operator.kvHeads / weightsBy),
    width: (operator.keyWidth + operator.valueWidth) / 2,
    pairs: operator.pairs / context,
  }
  const time = attentionTime(form, engine, work)
  const kernel = runtime.attentionKernel === 'flash-2' ? FLASH_2[silicon.generation] : 1
  return backward ? time * kernel * ATTENTION_BACKWARD : time * kernel
}

function elementwiseTime({ engine, runtime }: Machine, { operator, workBy, moved = 1 }: LocalOperator, backward: boolean): number {
  const traffic =
    ((operator.readBytes + operator.writtenBytes) / workBy) *
    moved *
    (operator.split === 'activations' || operator.kind === 'vector' ? runtime.vectorPasses : 1)
  return vectorTime(engine, backward ? VECTOR_BACKWARD * traffic : traffic)
}

type Exchanges = { readonly tensor: number; readonly context: number; readonly expert: number }

function exchangeTime(setup: Setup, { group, division, backward }: Pass): Exchanges {
  const { machine, job } = setup
  const { tensor, sequenceParallel, context, microbatch } = division
  const { fabric } = machine
  const tokens = (microbatch * job.sequence) / context
  const stream = tokens * job.architecture.width * job.policy.activation
  const rowProducts = group.operators.filter(({ operator }) => operator.split === 'row' && operator.kind === 'gemm').length
  const span = spanOf(fabric, tensor, 1)
  const perProduct = sequenceParallel
    ? collectiveTime(fabric, { name: 'all-gather', bytes: stream, span }) * (backward ? 2 : 1) +
      collectiveTime(fabric, { name: 'reduce-scatter', bytes: stream, span })
    : collectiveTime(fabric, { name: 'all-reduce', bytes: stream, span })
  const around = contextTime(setup, { group, division, backward })
  return { tensor: rowProducts * perProduct, context: around, expert: expertExchangeTime(setup, group, division) }
}

/**
 * Exchange among context-parallel ranks. A ring passes keys and values on, once per other rank, and their gradients backward; an all-to-all
 * trades sequence slices for heads before attention (queries, keys, values) and back after it (outputs).
 */
function contextTime({ machine: { fabric }, job }: Setup, { group, division, backward }: Pass): number {
  const { context, contextBy, tensor, microbatch } = division
  const core = group.operators.find(({ operator }) => operator.kind === 'attention')?.operator
  if (context === 1 || core?.kind !== 'attention') return 0
  const element = ((microbatch * job.sequence) / context / tensor) * job.policy.activation
  const keys = element * core.kvHeads * (core.keyWidth + core.valueWidth)
  if (contextBy === 'ring') return (backward ? 2 : 1) * (context - 1) * sendTime(fabric, keys, { size: context, stride: tensor })
  const queries = element * core.heads * (core.keyWidth + core.valueWidth)
  return collectiveTime(fabric, { name: 'all-to-all', bytes: keys + queries, span: spanOf(fabric, context, tensor) })
}
