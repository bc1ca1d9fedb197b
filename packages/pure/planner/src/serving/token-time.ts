// Time of everything in one pass that depends only on how many tokens are in it: products, experts, exchanges, elementwise kernels.
// Attention over the cache, which depends on lengths, is added by the step.

import type { ServingPool } from '@ironlaw/contracts'
import { type Architecture, expectedExperts, type Moe, type Operator, operatorList } from '@ironlaw/models'
import { collectiveTime, sendTime, spanOf } from '../machine/fabric.ts'
import { vectorTime } from '../machine/kernels.ts'
import { adaptedProduct, adapterElements, adapterProductBytes, adaptersInStep } from './adapters.ts'
import type { CurveName, ExpertCurve, ProductCurve } from './curves.ts'
import { expertTime, productTime, type Rates } from './kernel-times.ts'
import { expertSlots, expertTensor } from './layout.ts'
import type { WeightFormat } from './precision.ts'
import { engineOf, ratesOf, type ReplicaDesign } from './replica-design.ts'

export type Phase = 'prefill' | 'decode'

export type TokenTime = {
  readonly products: number
  readonly experts: number
  readonly exchange: number
  readonly vector: number
}

const SIXTEEN: WeightFormat = { bytes: 2, curve: 'bf16' }

type CurveChoice<Curve> = { readonly curve: Curve; readonly rates: Rates; readonly weightBytes: number }

/** Where the device has no such arithmetic, weights are widened on the way and multiplied in 16 bits. */
function curveFor<Curve extends { readonly start_s: number }>(
  { machine, runtime }: Pick<ReplicaDesign, 'machine' | 'runtime'>,
  curves: Readonly<Partial<Record<CurveName, Curve>>>,
  kept: WeightFormat,
): CurveChoice<Curve> {
  const own = kept.weightOnly ? undefined : curves[kept.curve]
  const curve = own ?? curves.bf16
  if (!curve) throw new Error(`${machine.accelerator}: no 16-bit curve`)
  const rates = ratesOf(machine, multipliedIn(curves, kept))
  return { curve: { ...curve, start_s: curve.start_s * runtime.starts }, rates, weightBytes: kept.bytes }
}

const multipliedIn = (curves: Readonly<Partial<Record<CurveName, unknown>>>, kept: WeightFormat): CurveName =>
  !kept.weightOnly && curves[kept.curve] ? kept.curve : kept.integer ? 'fp8' : 'bf16'

/** The fastest arithmetic that products with such weights run at on this device, dense or of experts. */
export const peakBehind = ({ machine }: ReplicaDesign, kept: WeightFormat): number =>
  Math.max(...[machine.curves.gemm, machine.curves.experts].map((curves) => machine.peaks[multipliedIn(curves, kept)]))

/** Of one pass with `tokens` new tokens on each rank, over all layers of the model; the head is apart. */
export function tokenTime(replica: ReplicaDesign, phase: Phase, tokens: number): TokenTime {
  const { architecture, layout, machine } = replica
  const listed = servedOperators(architecture, phase)
  const scale = tokens / listed.tokens
  const sum = { products: 0, experts: 0, exchange: 0, vector: 0 }
  for (const operator of listed.operators) {
    const { count } = operator
    if (isProduct(operator))
      sum.products += count * (localProduct(replica, operator, operator.m * scale) + adapterTime(replica, operator, tokens))
    else {
      const by = operator.split === 'heads' || operator.split === 'column' ? layout.tensor : 1
      sum.vector += count * elementwiseTime(replica, (scale * (operator.readBytes + operator.writtenBytes)) / by)
    }
  }
  for (const group of architecture.groups) {
    if (group.stack !== 'decoder') continue
    for (const layer of group.layers) {
      if (layer.kind === 'moe') {
        sum.experts += group.count * routedTime(replica, layer, tokens)
        sum.exchange += group.count * expertExchange(replica, layer, tokens)
      } else if (layer.kind === 'mlp' || layer.kind === 'attention' || layer.kind === 'latent-attention' || layer.kind === 'delta-net')
        sum.exchange += group.count * tensorExchange(replica, tokens)
      else if (layer.kind === 'state-space') sum.exchange += group.count * tensorExchange(replica, tokens)
    }
  }
  const stages = layout.pipeline - 1
  if (stages > 0)
    sum.exchange += stages * sendTime(machine.fabric, 2 * tokens * architecture.width, { size: layout.pipeline, stride: layout.tensor })
  return sum
}

/** The start of a kernel is hidden as far as the engine hides any. */
function elementwiseTime({ machine, runtime }: ReplicaDesign, traffic: number): number {
  const body = vectorTime(engineOf(machine), traffic)
  return body - (1 - runtime.starts) * vectorTime(engineOf(machine), Number.MIN_VALUE)
}

/** Logits of the sequences that get a token, and the choice among them. */
export function headTime(replica: ReplicaDesign, sequences: number): number {
  const { architecture, layout, machine } = replica
  if (sequences === 0 || architecture.vocabulary === 0) return 0
  const { curve, rates } = curveFor(replica, machine.curves.gemm, SIXTEEN)
  const columns = architecture.vocabulary / layout.tensor
  return productTime(curve, rates, { m: sequences, n: columns, k: architecture.width }) + elementwiseTime(replica, 6 * sequences * columns)
}

/** What a pass runs, as listed for one size of pass; every shape and traffic grows with the tokens. */
type OperatorList = { readonly tokens: number; readonly operators: readonly Operator[] }

const OPERATOR_LISTS: Readonly<Record<Phase, WeakMap<Architecture, OperatorList>>> = { prefill: new WeakMap(), decode: new WeakMap() }
const LISTED_TOKENS = 256

/** Remembered: a search asks for the same few models again and again, and listing costs more than timing. */
export function servedOperators(architecture: Architecture, phase: Phase): OperatorList {
  const known = OPERATOR_LISTS[phase].get(architecture)
  if (known) return known
  const precision = { weight: 2, activation: 2, cache: 2 }
  const workload =
    phase === 'prefill'
      ? ({ batch: 1, tokens: LISTED_TOKENS, context: 0, latent: 'expanded' } as const)
      : ({ batch: LISTED_TOKENS, tokens: 1, context: 1, latent: 'absorbed' } as const)
  const operators = operatorList(architecture, { ...workload, precision }).filter(
    (operator) => operator.stack === 'decoder' && operator.split !== 'experts' && (isProduct(operator) || isOwnKernel(operator)),
  )
  const listed = { tokens: LISTED_TOKENS, operators }
  OPERATOR_LISTS[phase].set(architecture, listed)
  return listed
}

type ProductOperator = Extract<Operator, { kind: 'gemm' | 'grouped-gemm' }>

const isProduct = (operator: Operator): operator is ProductOperator => operator.kind === 'gemm' || operator.kind === 'grouped-gemm'

/** Residual additions and rotary embeddings run inside their neighbours. */
const isOwnKernel = ({ kind, name }: Operator): boolean =>
  kind === 'scan' || (kind === 'vector' && !name.endsWith('.residual') && !name.endsWith('.rotary'))

function localProduct(replica: ReplicaDesign, operator: ProductOperator, m: number): number {
  const { machine, layout, precision } = replica
  const kept = weightFormatOf(precision, operator)
  const { curve, rates, weightBytes } = curveFor(replica, machine.curves.gemm, kept)
  const timed: ProductCurve = curve.weightBytes === weightBytes ? curve : { ...curve, weightBytes }
  const by = layout.tensor
  // A device without such arithmetic widens the weights and quantizes nothing.
  const native = machine.curves.gemm[kept.curve] ?? machine.curves.experts[kept.curve]
  const factor = native ? (replica.runtime.products[kept.curve] ?? 1) : 1
  // Products of all heads at once are one product as wide as all of them.
  if (operator.kind === 'grouped-gemm')
    return factor * productTime(timed, rates, { m, n: (operator.n * operator.groups) / by, k: operator.k })
  const { n, k, split } = operator
  if (split === 'column') return factor * productTime(timed, rates, { m, n: n / by, k })
  if (split === 'row') return factor * productTime(timed, rates, { m, n, k: k / by })
  return factor * productTime(timed, rates, { m, n, k })
}

/** Two kernels beside a product: down to the rank, and up again onto its output. */
function adapterTime(replica: ReplicaDesign, operator: ProductOperator, tokens: number): number {
  const { adapters, machine } = replica
  const product = adaptedProduct(replica, operator)
  if (!adapters || !product) return 0
  const { curve, rates } = curveFor(replica, machine.curves.gemm, SIXTEEN)
  const { slices, inputs, outputs } = product
  const weights = adaptersInStep(adapters, tokens) * adapterProductBytes(adapters, product)
  const activations = 2 * tokens * (inputs + 2 * slices * adapters.rank + 2 * outputs)
  const memory = (weights + activations) / (rates.bandwidth * curve.memory)
  const compute = (2 * tokens * adapterElements(adapters, product)) / (rates.peak * curve.compute)
  return 2 * curve.start_s + Math.max(memory, compute)
}

function weightFormatOf({ attention, dense }: ReplicaDesign['precision'], { name, kind }: Operator): WeightFormat {
  if (kind === 'grouped-gemm' || name.endsWith('.router') || name.endsWith('.shared_gate')) return SIXTEEN
  return /\.(?:up|down|latent_in|latent_out)$/.test(name) ? dense : attention
}

/**
 * Routing is never even, and all wait for the fullest rank: 1.36 times the mean at 8 ranks, 1.6 at 32. Between even routing and a power law of
 * 1.2, which the tables measure at 1.35 to 1.6 for 8. A judgement, not a fit. NVIDIA counts 2.56 at 32 ranks for DeepSeek-R1 without balancing
 * and 1.11 with it (TensorRT-LLM, "Scaling Expert Parallelism, part 1", table 1), so engines are told to balance beyond a node.
 */
const skewOf = (expert: number, visits: number): number => 1 + Math.min(1, visits / 2048) * 0.12 * Math.log2(expert)

function routedTime(replica: ReplicaDesign, layer: Moe, tokens: number): number {
  const { machine, layout, precision } = replica
  const { curve, rates, weightBytes } = curveFor<ExpertCurve>(
    { machine, runtime: { ...replica.runtime, starts: 1 } },
    machine.curves.experts,
    precision.experts,
  )
  const { starts, body } = expertsOf(replica)
  const all = tokens * layout.data
  const slots = expertSlots(layer.experts, layout.expert)
  const visits = (all * layer.active) / layout.expert
  const work = {
    experts: slots / layout.expert,
    touched: ((expectedExperts(layer, all) / layer.experts) * slots) / layout.expert,
    visits: visits * skewOf(layout.expert, visits),
    width: layer.latentWidth ?? layer.width,
    inner: layer.inner / expertTensor(layout),
    weightBytes,
  }
  const fixed = curve.start_s + curve.expert_s * work.experts
  return starts * fixed + body * (expertTime(curve, rates, work) - fixed)
}

/** Engines bring their own fused experts where the measured kernel is not the one they run. */
const expertsOf = ({ runtime, machine, precision }: ReplicaDesign): { readonly starts: number; readonly body: number } =>
  runtime.experts[`${machine.fabric.silicon.generation} ${precision.experts.curve}`] ?? AS_MEASURED

const AS_MEASURED = { starts: 1, body: 1 }

/** The sum over ranks after a block: the engine's own all-reduce, or the library's where that is faster. */
function tensorExchange({ machine: { fabric }, layout, architecture, runtime }: ReplicaDesign, tokens: number): number {
  if (layout.tensor === 1) return 0
  return allReduce(fabric, layout.tensor, 2 * tokens * architecture.width) * runtime.exchange
}

/** Below this a device has no link of its own. */
const SLOWEST_LINK = 100e9

function allReduce(fabric: ReplicaDesign['machine']['fabric'], size: number, bytes: number): number {
  const span = spanOf(fabric, size, 1)
  const library = collectiveTime(fabric, { name: 'all-reduce', bytes, span })
  const custom = fabric.silicon.collectives['all-reduce-custom']
  // Over slots of a host, larger groups were measured on one host whose sockets slow them down (1 to 5 GB/s); pairs speak for the card.
  const measured = fabric.linkBandwidth < SLOWEST_LINK ? '2' : size <= 2 ? '2' : size <= 4 ? '4' : '8'
  const curve = custom?.[measured] ?? custom?.['4']
  if (!curve || span.inNode < size) return library
  const volume = (2 * bytes * (size - 1)) / size
  const scale = fabric.linkBandwidth / fabric.silicon.reference.link_bytes_per_s
  const own = curve.alpha_s + (volume / curve.beta_bytes_per_s + curve.ramp_s_per_root_byte * Math.sqrt(volume)) / scale
  return fabric.linkBandwidth < SLOWEST_LINK ? own : Math.min(library, own)
}

/** Tokens to their experts and back: with one copy of the attention a plain sum, with several a gather or an exchange, the cheaper. */
function expertExchange(replica: ReplicaDesign, layer: Moe, tokens: number): number {
  if (replica.layout.data === 1) return tensorExchange(replica, tokens)
  const { gathered, dealt } = expertExchanges(replica, layer, tokens)
  return Math.min(gathered, dealt) * replica.runtime.exchange
}

/** How tokens of the copies reach their experts and come back: gathered by all ranks, or sent only where they go. */
function expertExchanges(
  { layout, machine: { fabric } }: ReplicaDesign,
  { active, width }: Moe,
  tokens: number,
): { readonly gathered: number; readonly dealt: number } {
  const ranks = layout.tensor * layout.data
  const span = spanOf(fabric, ranks, 1)
  const whole = 2 * tokens * layout.data * width
  const gathered =
    collectiveTime(fabric, { name: 'all-gather', bytes: whole, span }) +
    collectiveTime(fabric, { name: 'reduce-scatter', bytes: whole, span })
  const sent = (tokens / layout.tensor) * Math.min(active, layout.expert) * width
  // Dispatched in 8 bits, combined in 16.
  const dealt =
    collectiveTime(fabric, { name: 'all-to-all', bytes: sent, span }) +
    collectiveTime(fabric, { name: 'all-to-all', bytes: 2 * sent, span })
  return { gathered, dealt }
}

/** What wide expert parallelism does with `tokens` on each copy of the attention; undefined without copies that share experts. */
export function expertPlacement(replica: ReplicaDesign, tokens: number): NonNullable<ServingPool['experts']> | undefined {
  const { architecture, layout } = replica
  const moe = architecture.groups.flatMap(({ layers }) => layers).find((layer): layer is Moe => layer.kind === 'moe')
  if (!moe || layout.expert === 1 || layout.data === 1) return undefined
  const { gathered, dealt } = expertExchanges(replica, moe, tokens)
  return {
    count: moe.experts,
    redundant: expertSlots(moe.experts, layout.expert) - moe.experts,
    imbalance: skewOf(layout.expert, (tokens * layout.data * moe.active) / layout.expert),
    exchange: dealt < gathered ? 'all-to-all' : 'gather',
  }
}
