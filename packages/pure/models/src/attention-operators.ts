// Operators of attention. FLOPs count unmasked pairs only, so a planner must not apply an efficiency measured on the
// full square to them. The backward of fused attention does five products where the forward does two, since it computes
// the scores again (Dao 2023, FlashAttention-2, section 4.1: backward = 2.5 x forward); unfused it does four.

import type { Attention, LatentAttention } from './architecture.ts'
import { type AttentionShape, gemm, groupedGemm, type LocalOperator, operator, residual, vector } from './operator.ts'
import { keysRead, visiblePairs } from './visible-keys.ts'
import type { Flow } from './workload.ts'

export function attentionOperators(layer: Attention, flow: Flow): LocalOperator[] {
  const { name, width, heads, kvHeads, headWidth, mask, bias } = layer
  const { rows } = flow
  const queries = heads * headWidth
  const pairsOfKv = 2 * kvHeads * headWidth
  const crossing = mask.kind === 'cross'
  const products = crossing
    ? [gemm(`${name}.q`, flow, { rows, inputs: width, outputs: queries, split: 'column', bias: bias.qkv }), ...crossKeys(layer, flow)]
    : [
        gemm(`${name}.qkv`, flow, {
          rows,
          inputs: width,
          outputs: (layer.gated ? 2 : 1) * queries + pairsOfKv,
          split: 'column',
          bias: bias.qkv,
          merged: 3,
        }),
      ]
  const turned = queries + kvHeads * headWidth
  const shape: AttentionShape = {
    kind: 'attention',
    sequences: flow.sequences,
    queries: flow.queries,
    keys: keysRead(mask, flow),
    heads,
    kvHeads,
    keyWidth: headWidth,
    valueWidth: headWidth,
    pairs: visiblePairs(mask, flow),
  }
  const normed = layer.qkNorm !== 'none'
  return [
    ...products,
    ...(normed
      ? [
          vector(`${name}.qk_norm`, flow, {
            rows,
            width: turned,
            split: 'heads',
            flopsPerElement: 4,
            reads: turned,
            writes: turned,
            keeps: turned,
          }),
        ]
      : []),
    ...(layer.rotary
      ? [vector(`${name}.rotary`, flow, { rows, width: turned, split: 'heads', flopsPerElement: 3, reads: turned, writes: turned })]
      : []),
    attentionCore(`${name}.core`, flow, { shape, keyElements: pairsOfKv, fresh: crossing ? 0 : flow.queries }),
    ...(layer.gated ? [gate(`${name}.gate`, flow, queries)] : []),
    gemm(`${name}.o`, flow, { rows, inputs: queries, outputs: width, split: 'row', bias: bias.output, keepsInput: layer.gated }),
    residual(`${name}.residual`, flow, width),
  ]
}

/** The output times the sigmoid of its gate; the ungated output is kept by the core. */
const gate = (name: string, flow: Flow, width: number): LocalOperator =>
  vector(name, flow, { rows: flow.rows, width, split: 'heads', flopsPerElement: 5, reads: 2 * width, writes: width, keeps: width })

/** Keys and values of the encoder's output, computed once per sequence: when nothing is cached yet. */
function crossKeys({ name, width, kvHeads, headWidth, bias }: Attention, flow: Flow): LocalOperator[] {
  if (flow.context > 0) return []
  const rows = flow.sequences * flow.source
  return [gemm(`${name}.kv`, flow, { rows, inputs: width, outputs: 2 * kvHeads * headWidth, split: 'column', bias: bias.qkv, merged: 2 })]
}

type CoreInputs = {
  readonly shape: AttentionShape
  /** Elements of keys and values per token. */
  readonly keyElements: number
  /** Of the keys, how many are new and so still in the activations' precision. */
  readonly fresh: number
}

function attentionCore(name: string, flow: Flow, { shape, keyElements, fresh }: CoreInputs): LocalOperator {
  const { sequences, queries, keys, heads, keyWidth, valueWidth, pairs } = shape
  const { activation, cache } = flow.precision
  const flops = 2 * sequences * heads * pairs * (keyWidth + valueWidth)
  const queryElements = sequences * queries * heads * keyWidth
  const outputElements = sequences * queries * heads * valueWidth
  const fromCache = Math.max(keys - fresh, 0)
  const keyBytes = sequences * keyElements * (Math.min(fresh, keys) * activation + fromCache * cache)
  const scores = sequences * heads * queries * keys
  // Fused kernels keep one 32-bit log-sum-exp per row; unfused ones the probabilities, and with dropout its mask and result.
  const kept = flow.unfused ? scores * (activation + (flow.dropout ? 1 + activation : 0)) : 4 * sequences * heads * queries
  const freshKeys = fresh === 0 ? keys : queries
  return operator(name, shape, {
    split: 'heads',
    flops,
    backward: flops * (flow.unfused ? 2 : 2.5),
    weights: 0,
    read: queryElements * activation + keyBytes + (flow.unfused ? 2 * scores * activation : 0),
    written: outputElements * activation + (flow.unfused ? 2 * scores * activation : 0),
    saved: (queryElements + sequences * freshKeys * keyElements + outputElements) * activation + kept,
  })
}

export function latentOperators(layer: LatentAttention, flow: Flow): LocalOperator[] {
  const { name, width, heads, valueWidth, bias } = layer
  const form = flow.latent ?? cheaperForm(layer, flow)
  return [
    ...latentQueries(layer, flow),
    ...latentKeys(layer, flow),
    ...(form === 'expanded' ? expandedCore(layer, flow) : absorbedCore(layer, flow)),
    gemm(`${name}.o`, flow, {
      rows: flow.rows,
      inputs: heads * valueWidth,
      outputs: width,
      split: 'row',
      bias,
      keepsInput: form === 'absorbed',
    }),
    residual(`${name}.residual`, flow, width),
  ]
}

function latentQueries({ name, width, heads, queryRank, nopeWidth, ropeWidth, bias }: LatentAttention, flow: Flow): LocalOperator[] {
  const { rows } = flow
  const queries = heads * (nopeWidth + ropeWidth)
  if (queryRank === undefined) return [gemm(`${name}.q`, flow, { rows, inputs: width, outputs: queries, split: 'column' })]
  return [
    gemm(`${name}.q_a`, flow, { rows, inputs: width, outputs: queryRank, split: 'whole', bias }),
    norm(`${name}.q_a_norm`, flow, queryRank),
    gemm(`${name}.q_b`, flow, { rows, inputs: queryRank, outputs: queries, split: 'column' }),
  ]
}

function latentKeys({ name, width, heads, kvRank, ropeWidth, bias }: LatentAttention, flow: Flow): LocalOperator[] {
  const { rows } = flow
  const turned = (heads + 1) * ropeWidth
  return [
    // The normalised input is kept by the query projection.
    gemm(`${name}.kv_a`, flow, { rows, inputs: width, outputs: kvRank + ropeWidth, split: 'whole', bias, keepsInput: false }),
    norm(`${name}.kv_a_norm`, flow, kvRank),
    vector(`${name}.rotary`, flow, { rows, width: turned, split: 'heads', flopsPerElement: 3, reads: turned, writes: turned }),
  ]
}

const norm = (name: string, flow: Flow, width: number): LocalOperator =>
  vector(name, flow, {
    rows: flow.rows,
    width,
    split: 'whole',
    flopsPerElement: 4,
    reads: width,
    writes: width,
    keeps: width,
    weights: width,
  })

/** Rebuilds keys and values of every head, those of the context included: the form of training and prefill. */
function expandedCore(layer: LatentAttention, flow: Flow): LocalOperator[] {
  const { name, heads, kvRank, nopeWidth, ropeWidth, valueWidth, mask } = layer
  const keyWidth = nopeWidth + ropeWidth
  const keys = keysRead(mask, flow)
  const shape: AttentionShape = {
    kind: 'attention',
    sequences: flow.sequences,
    queries: flow.queries,
    keys,
    heads,
    kvHeads: heads,
    keyWidth,
    valueWidth,
    pairs: visiblePairs(mask, flow),
  }
  return [
    gemm(`${name}.kv_b`, flow, { rows: flow.sequences * keys, inputs: kvRank, outputs: heads * (nopeWidth + valueWidth), split: 'column' }),
    attentionCore(`${name}.core`, flow, { shape, keyElements: heads * (keyWidth + valueWidth), fresh: keys }),
  ]
}

/** Works on the cached latents themselves, as one key-value head that all heads share: the form of decoding. */
function absorbedCore(layer: LatentAttention, flow: Flow): LocalOperator[] {
  const { name, heads, kvRank, nopeWidth, ropeWidth, valueWidth, mask } = layer
  const rows = flow.rows * heads
  const keyWidth = kvRank + ropeWidth
  const shape: AttentionShape = {
    kind: 'attention',
    sequences: flow.sequences,
    queries: flow.queries,
    keys: keysRead(mask, flow),
    heads,
    kvHeads: 1,
    keyWidth,
    valueWidth: kvRank,
    pairs: visiblePairs(mask, flow),
  }
  return [
    groupedGemm(`${name}.absorb_k`, flow, { groups: heads, rows, inputs: nopeWidth, outputs: kvRank, split: 'heads' }),
    attentionCore(`${name}.core`, flow, { shape, keyElements: keyWidth, fresh: flow.queries }),
    groupedGemm(`${name}.absorb_v`, flow, { groups: heads, rows, inputs: kvRank, outputs: valueWidth, split: 'heads', keepsInput: false }),
  ]
}

function cheaperForm(layer: LatentAttention, flow: Flow): 'expanded' | 'absorbed' {
  return flopsOf(absorbedCore(layer, flow)) < flopsOf(expandedCore(layer, flow)) ? 'absorbed' : 'expanded'
}

const flopsOf = (operators: readonly LocalOperator[]): number => operators.reduce((sum, each) => sum + each.forward, 0)
