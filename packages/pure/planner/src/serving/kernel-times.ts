// Times of the kernels of serving from their curves. Plain numbers in seconds, bytes and FLOP.

import { bare } from '@ironlaw/laws/law'
import { cachedAttentionTime } from '@ironlaw/laws/decoding/decode'
import { softRoofline } from '@ironlaw/laws/roofline/roofline'
import { productTimes, type Product } from '../machine/kernels.ts'
import type { DecodeCurve, ExpertCurve, LatentDecodeCurve, LatentPrefillCurve, ProductCurve } from './curves.ts'

/** The rates a curve is applied to. */
export type Rates = { readonly peak: number; readonly bandwidth: number; readonly processors: number }

const softRooflineOf = bare(softRoofline)
const cachedAttentionTimeOf = bare(cachedAttentionTime)

const TILE = 128

/** [m, k] x [k, n], from 16-bit activations: quantizing them is part of it. */
export function productTime(curve: ProductCurve, rates: Rates, { m, n, k }: Product): number {
  const { computeTime, memoryTime } = productTimes(curve, rates, { m, n, k })
  const filled = computeTime * Math.max(1, curve.rows / m)
  return curve.start_s + (curve.quantize * 3 * m * k) / rates.bandwidth + softMaximum(filled, memoryTime, curve.sharpness)
}

export type DecodeWork = {
  readonly sequences: number
  /** Keys that each of them reads. */
  readonly keys: number
  readonly heads: number
  readonly kvHeads: number
  readonly width: number
  readonly cacheBytes: number
}

/** One query per sequence over cached keys and values. */
export function decodeTime(curve: DecodeCurve, { bandwidth }: Rates, work: DecodeWork): number {
  const { sequences, keys, heads, kvHeads, width, cacheBytes } = work
  const cache = 2 * sequences * keys * kvHeads * width * cacheBytes
  const queries = 4 * sequences * width * (heads + kvHeads)
  const byWidth = curve.widths[String(width)] ?? 1
  const memory =
    cacheTime(curve, bandwidth / (byWidth * (1 + (curve.group * heads) / kvHeads)), { cache, queries }) +
    curve.split_s * Math.sqrt(keys / (sequences * kvHeads))
  const rows = (curve.row_s * sequences * heads * width) / TILE
  return curve.start_s + softMaximum(rows, memory, curve.sharpness)
}

export type LatentWork = {
  readonly sequences: number
  readonly keys: number
  readonly heads: number
  /** Width of a cached latent with its rotary part, and of the latent alone. */
  readonly keyWidth: number
  readonly valueWidth: number
  readonly cacheBytes: number
}

/** One query per sequence over cached latents, in the absorbed form. */
export function latentDecodeTime(curve: LatentDecodeCurve, { peak, bandwidth }: Rates, work: LatentWork): number {
  const { sequences, keys, heads, keyWidth, valueWidth, cacheBytes } = work
  const cache = sequences * keys * keyWidth * cacheBytes
  const widths = keyWidth + valueWidth
  const memory =
    cacheTime(curve, bandwidth, { cache, queries: 2 * sequences * heads * widths }) + curve.split_s * Math.sqrt(keys / sequences)
  const compute = (2 * sequences * Math.max(heads, curve.rows) * keys * widths) / (peak * curve.compute)
  return curve.start_s + softMaximum(compute, memory, curve.sharpness)
}

export type LatentPrefillWork = {
  readonly sequences: number
  readonly queries: number
  readonly heads: number
  /** Of a rebuilt key and value together. */
  readonly widths: number
  readonly pairs: number
}

/** Prefill over rebuilt keys and values. */
export function latentPrefillTime(curve: LatentPrefillCurve, { peak, bandwidth, processors }: Rates, work: LatentPrefillWork): number {
  const { sequences, queries, heads, widths, pairs } = work
  const blocks = (sequences * heads * Math.ceil(queries / TILE)) / processors
  const shape = blocks < 1 ? blocks ** -curve.under : 1 + curve.wave * (Math.ceil(blocks) / blocks - 1)
  const traffic = 4 * sequences * queries * heads * widths
  const flops = 2 * sequences * heads * widths * (pairs + queries * curve.ramp)
  return curve.start_s + traffic / (bandwidth * curve.memory) + (flops / (peak * curve.compute)) * shape
}

export type ExpertWork = {
  /** Experts on this rank, and of them those that some token visits. */
  readonly experts: number
  readonly touched: number
  /** Visits of tokens to experts of this rank. */
  readonly visits: number
  readonly width: number
  readonly inner: number
  readonly weightBytes: number
}

/** The fused experts of one rank: permutation, both grouped products, activation, and back. */
export function expertTime(curve: ExpertCurve, { peak, bandwidth }: Rates, work: ExpertWork): number {
  const { experts, touched, visits, width, inner, weightBytes } = work
  const compute = (6 * width * inner * (visits + curve.ramp * touched)) / (peak * curve.compute)
  const memory = (3 * width * inner * weightBytes * touched * (1 + curve.narrow / inner)) / (bandwidth * curve.memory)
  return (
    curve.start_s + curve.expert_s * experts + (curve.move * 4 * visits * width) / bandwidth + softMaximum(compute, memory, curve.sharpness)
  )
}

type CacheReads = { readonly cache: number; readonly queries: number }

/** Keys and values, or latents, read once, with the queries and results beside them; in bytes. */
const cacheTime = (curve: DecodeCurve | LatentDecodeCurve, bandwidth: number, { cache, queries }: CacheReads): number =>
  cachedAttentionTimeOf({
    cacheBytes: cache,
    queryBytes: queries,
    memoryBandwidth: bandwidth,
    memoryShare: curve.memory,
    rampTime: curve.ramp_s,
    rampBytes: curve.ramp_bytes,
  })

/** Between the larger of two and their sum. */
const softMaximum = (compute: number, memory: number, sharpness: number): number =>
  softRooflineOf({ computeTime: compute, memoryTime: memory, sharpness: sharpness })
