// The time of one engine step: tokens to prefill, sequences to decode, their lengths in; seconds out. A replica is compiled once into
// tables over the number of tokens, after which a step costs a few hundred nanoseconds: a simulator asks millions of times.

import { attentionTime } from '../machine/kernels.ts'
import type { DecodeCurve, LatentDecodeCurve, LatentPrefillCurve } from './curves.ts'
import { decodeTime, latentDecodeTime, latentPrefillTime } from './kernel-times.ts'
import { CACHE_BYTES } from './precision.ts'
import { engineOf, ratesOf, type ReplicaDesign } from './replica-design.ts'
import { draftReplica, stepGain } from './speculation.ts'
import { headTime, type Phase, tokenTime } from './token-time.ts'

/**
 * Of the whole replica. Sequences that decode are spread evenly over the copies of the attention; a prompt stays on one copy, so that as many
 * copies work on prompts as there are prompts.
 */
export type StepWork = {
  readonly prefillSequences: number
  readonly prefillTokens: number
  /** Query-key pairs of the prompts' tokens, those with cached keys included. */
  readonly prefillPairs: number
  readonly decodeSequences: number
  /** Keys that the decoded sequences read, summed. */
  readonly decodeKeys: number
}

export type StepTime = {
  readonly total: number
  readonly products: number
  readonly experts: number
  readonly exchange: number
  readonly vector: number
  readonly attention: number
  readonly head: number
  /** Proposing tokens, where decoding is speculative. */
  readonly draft: number
  readonly host: number
}

export type CompiledStep = {
  /** Tokens that a step brings each decoding sequence. */
  readonly gain: number
  /** Seconds of one step. */
  readonly time: (work: StepWork) => number
  /** Of those, what its kernels take. */
  readonly kernels: (work: StepWork) => number
  /** The same by cause. */
  readonly explained: (work: StepWork) => StepTime
}

const GRID = [
  1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024, 1280, 1536, 2048, 3072, 4096, 6144, 8192,
  12_288, 16_384, 32_768, 65_536,
] as const

export function compiledStep(replica: ReplicaDesign): CompiledStep {
  const { layout, runtime, architecture, speculation } = replica
  const share = 1 / layout.data
  const checked = 1 + (speculation?.drafted ?? 0)
  const tables = { prefill: tableOf(replica, 'prefill'), decode: tableOf(replica, 'decode') }
  const heads = GRID.map((sequences) => headTime(replica, sequences))
  const attention = attentionOf(replica)
  const launches = architecture.layout.length * runtime.launch_s
  const sums = { prefill: denseTotals(tables.prefill, runtime.kernels), decode: denseTotals(tables.decode, runtime.kernels) }
  const draft = draftTimer(replica, (work) => {
    const sequences = work.decodeSequences * share
    const pass = interpolatedTime(sums.decode, sequences) + interpolatedTime(tables.decode.experts, sequences)
    const layer = (pass + runtime.kernels * attention(work, share)) / architecture.layout.length
    return layer + runtime.kernels * interpolatedTime(heads, sequences)
  })
  const explainedTime = (work: StepWork): StepTime => {
    const { tokens, sequences, spread } = loadOf(work, layout.data, checked)
    const table = work.prefillTokens > 0 ? tables.prefill : tables.decode
    const core = attention(work, share)
    const head = interpolatedTime(heads, sequences)
    const products = runtime.kernels * interpolatedTime(table.products, tokens)
    const experts = interpolatedTime(table.experts, spread)
    const exchange = interpolatedTime(table.exchange, tokens)
    const vector = runtime.kernels * interpolatedTime(table.vector, tokens)
    const proposing = draft(work)
    const kernels = products + experts + exchange + vector + runtime.kernels * (core + head) + proposing
    const waiting = work.prefillTokens > 0 || !runtime.graphs ? Math.max(0, launches - kernels) : 0
    const host = waiting + runtime.step_s + runtime.sequence_s * sequences
    return {
      total: kernels + host,
      products,
      experts,
      exchange,
      vector,
      attention: runtime.kernels * core,
      head: runtime.kernels * head,
      draft: proposing,
      host,
    }
  }
  const kernelTime = (work: StepWork, { tokens, sequences, spread }: CopyLoad): number => {
    const isPrefill = work.prefillTokens > 0
    return (
      interpolatedTime(isPrefill ? sums.prefill : sums.decode, tokens) +
      interpolatedTime((isPrefill ? tables.prefill : tables.decode).experts, spread) +
      runtime.kernels * (attention(work, share) + interpolatedTime(heads, sequences)) +
      draft(work)
    )
  }
  const time = (work: StepWork): number => {
    const load = loadOf(work, layout.data, checked)
    const kernels = kernelTime(work, load)
    return (
      (work.prefillTokens > 0 || !runtime.graphs ? Math.max(kernels, launches) : kernels) +
      runtime.step_s +
      runtime.sequence_s * load.sequences
    )
  }
  return {
    gain: stepGain(speculation),
    time,
    kernels: (work) => kernelTime(work, loadOf(work, layout.data, checked)),
    explained: explainedTime,
  }
}

/** Each drafted token is a pass of all sequences: through a model or a head of its own, or through one layer more and the head. */
function draftTimer(replica: ReplicaDesign, ownLayer: (decoding: StepWork) => number): (work: StepWork) => number {
  const { speculation } = replica
  if (!speculation || speculation.method === 'ngram') return () => 0
  const own = draftReplica(replica)
  const drafter = own && compiledStep(own)
  return (work) => {
    const prompts = drafter && work.prefillTokens > 0 ? drafter.kernels({ ...work, decodeSequences: 0, decodeKeys: 0 }) : 0
    if (work.decodeSequences === 0) return prompts
    const alone = { ...work, prefillSequences: 0, prefillTokens: 0, prefillPairs: 0 }
    return prompts + speculation.drafted * (drafter ? drafter.kernels(alone) : ownLayer(alone))
  }
}

/** Copies of the attention that work on prompts. */
const promptCopies = ({ prefillSequences }: StepWork, copies: number): number => Math.max(1, Math.min(copies, prefillSequences))

type CopyLoad = {
  /** Of the fullest copy, on which all others wait. */
  readonly tokens: number
  readonly sequences: number
  /** Tokens of all copies, evenly: experts are shared by all. */
  readonly spread: number
}

function loadOf(work: StepWork, copies: number, checked: number): CopyLoad {
  const prompts = 1 / promptCopies(work, copies)
  const decoded = (work.decodeSequences * checked) / copies
  return {
    tokens: work.prefillTokens * prompts + decoded,
    sequences: work.prefillSequences * prompts + decoded,
    spread: work.prefillTokens / copies + decoded,
  }
}

type Table = { readonly products: number[]; readonly experts: number[]; readonly exchange: number[]; readonly vector: number[] }

function tableOf(replica: ReplicaDesign, phase: Phase): Table {
  const rows = GRID.map((tokens) => tokenTime(replica, phase, tokens))
  return {
    products: rows.map(({ products }) => products),
    experts: rows.map(({ experts }) => experts),
    exchange: rows.map(({ exchange }) => exchange),
    vector: rows.map(({ vector }) => vector),
  }
}

/** All but the experts. */
const denseTotals = ({ products, exchange, vector }: Table, kernels: number): number[] =>
  products.map((each, index) => kernels * (each + (vector[index] ?? 0)) + (exchange[index] ?? 0))

/** Linear between grid points; beyond the last one in proportion. */
function interpolatedTime(values: readonly number[], at: number): number {
  if (at <= 0) return 0
  const last = GRID.length - 1
  if (at >= (GRID[last] ?? 1)) return ((values[last] ?? 0) * at) / (GRID[last] ?? 1)
  if (at <= 1) return values[0] ?? 0
  let low = 0
  let high = last
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((GRID[middle] ?? 0) <= at) low = middle
    else high = middle
  }
  const from = GRID[low] ?? 1
  const to = GRID[high] ?? 1
  const part = (at - from) / (to - from)
  return (values[low] ?? 0) * (1 - part) + (values[high] ?? 0) * part
}

type Core = (work: StepWork, share: number) => number

function attentionOf(replica: ReplicaDesign): Core {
  const cores = replica.architecture.groups
    .filter(({ stack }) => stack === 'decoder')
    .flatMap((group) => group.layers.flatMap((layer) => coreOf(replica, layer, group.count)))
  return (work, share) => {
    let sum = 0
    for (const core of cores) sum += core(work, share)
    return sum
  }
}

type Layer = ReplicaDesign['architecture']['groups'][number]['layers'][number]

function coreOf(replica: ReplicaDesign, layer: Layer, count: number): readonly Core[] {
  if (layer.kind === 'attention') return [plainCore(replica, layer, count)]
  return layer.kind === 'latent-attention' ? [latentCore(replica, layer, count)] : []
}

const windowOf = (mask: Extract<Layer, { kind: 'attention' }>['mask']): number =>
  mask.kind === 'sliding' ? mask.window : mask.kind === 'chunked' ? mask.chunk : Infinity

function plainCore(
  { machine, layout, cache, runtime, speculation }: ReplicaDesign,
  layer: Extract<Layer, { kind: 'attention' }>,
  count: number,
): Core {
  const cacheBytes = CACHE_BYTES[cache]
  const curves = machine.curves.decode
  const decoding: DecodeCurve | undefined = cache === 'bf16' ? curves.bf16 : (curves.fp8 ?? curves.bf16)
  const prefill = machine.attention.bf16
  if (!decoding || !prefill) throw new Error(`${machine.accelerator}: no attention curve`)
  const hidden = 1 - runtime.starts
  const rates = ratesOf(machine, 'bf16')
  const engine = engineOf(machine)
  const heads = Math.max(1, layer.heads / layout.tensor)
  // Tokens of one sequence that are checked together read its keys as more heads would.
  const checking = heads * (1 + (speculation?.drafted ?? 0))
  const kvHeads = Math.max(1, layer.kvHeads / layout.tensor)
  const width = layer.headWidth
  const window = windowOf(layer.mask)
  const bothWays = layer.mask.kind === 'bidirectional'
  return (work, share) => {
    let time = 0
    if (work.decodeSequences > 0) {
      const sequences = Math.max(1, work.decodeSequences * share)
      const keys = Math.min(window, work.decodeKeys / work.decodeSequences)
      time += decodeTime(decoding, rates, { sequences, keys, heads: checking, kvHeads, width, cacheBytes }) - hidden * decoding.start_s
    }
    if (work.prefillTokens > 0) {
      const own = 1 / promptCopies(work, layout.data)
      const sequences = Math.max(1, work.prefillSequences * own)
      const queries = (work.prefillTokens * own) / sequences
      const seen = bothWays ? queries ** 2 : (work.prefillPairs * own) / sequences
      const pairs = Math.min(seen, queries * window)
      time += attentionTime(prefill, engine, { sequences, queries, heads, kvHeads, width, pairs }) - hidden * prefill.start_s
    }
    return count * time
  }
}

function latentCore(
  { machine, layout, cache, runtime, speculation }: ReplicaDesign,
  layer: Extract<Layer, { kind: 'latent-attention' }>,
  count: number,
): Core {
  const cacheBytes = CACHE_BYTES[cache]
  const { latentDecode, latentPrefill } = machine.curves
  const kind = cache === 'bf16' ? 'bf16' : 'fp8'
  const decode: LatentDecodeCurve | undefined = latentDecode[kind] ?? latentDecode.bf16
  const prefill: LatentPrefillCurve | undefined = latentPrefill[kind] ?? latentPrefill.bf16
  if (!decode || !prefill) throw new Error(`${machine.accelerator}: no curve of latent attention`)
  const hidden = 1 - runtime.starts
  const decodeRates = ratesOf(machine, kind)
  const rates = ratesOf(machine, 'bf16')
  const heads = layer.heads / layout.tensor
  const checking = heads * (1 + (speculation?.drafted ?? 0))
  const keyWidth = layer.kvRank + layer.ropeWidth
  const widths = layer.nopeWidth + layer.ropeWidth + layer.valueWidth
  return (work, share) => {
    let time = 0
    if (work.decodeSequences > 0) {
      const sequences = Math.max(1, work.decodeSequences * share)
      const keys = work.decodeKeys / work.decodeSequences
      time +=
        latentDecodeTime(decode, decodeRates, { sequences, keys, heads: checking, keyWidth, valueWidth: layer.kvRank, cacheBytes }) -
        hidden * decode.start_s
    }
    if (work.prefillTokens > 0) {
      const own = 1 / promptCopies(work, layout.data)
      const sequences = Math.max(1, work.prefillSequences * own)
      const queries = (work.prefillTokens * own) / sequences
      time +=
        latentPrefillTime(prefill, rates, { sequences, queries, heads, widths, pairs: (work.prefillPairs * own) / sequences }) -
        hidden * prefill.start_s
    }
    return count * time
  }
}
