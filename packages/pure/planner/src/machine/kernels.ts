// Kernel times from the silicon curves. Plain numbers in seconds, bytes and FLOP: these functions are the inner loop of the search.

import { bare } from '@ironlaw/laws/law'
import { fusedAttentionTime, productArithmeticTime, productTraffic, waveWaste } from '@ironlaw/laws/compute/kernels'
import { softRoofline } from '@ironlaw/laws/roofline/roofline'
import type { AttentionCurve, GemmCurve } from './silicon.ts'

/** The rates a curve is applied to: peak of the precision in FLOP/s, memory in B/s. */
export type Engine = {
  readonly peak: number
  /** Of 16-bit arithmetic, in which attention runs whatever the products run in. */
  readonly attentionPeak: number
  readonly bandwidth: number
  readonly processors: number
}

const softRooflineOf = bare(softRoofline)
const productArithmeticTimeOf = bare(productArithmeticTime)
const productTrafficOf = bare(productTraffic)
const waveWasteOf = bare(waveWaste)
const fusedAttentionTimeOf = bare(fusedAttentionTime)

const TILE = 128
/** Results, queries, keys and values are in 16 bit. */
const VALUE_BYTES = 2

export type Product = { readonly m: number; readonly n: number; readonly k: number }

/** Time of [m, k] x [k, n]: compute and memory terms joined by a soft maximum, compute stretched by a last partial wave of tiles. */
export function gemmTime(curve: GemmCurve, engine: Engine, product: Product): number {
  const { computeTime, memoryTime } = productTimes(curve, engine, product)
  return curve.start_s + softRooflineOf({ computeTime, memoryTime, sharpness: curve.sharpness })
}

/** What a curve of products says of its arithmetic and its traffic. */
export type ProductRates = Omit<GemmCurve, 'start_s' | 'sharpness'>

type ProductTimes = { readonly computeTime: number; readonly memoryTime: number }

/** The arithmetic and the traffic of a product, each by itself. */
export function productTimes(curve: ProductRates, engine: Omit<Engine, 'attentionPeak'>, { m, n, k }: Product): ProductTimes {
  const computeTime = productArithmeticTimeOf({
    rows: m,
    columns: n,
    inner: k,
    ramp: curve.ramp,
    peakFlops: engine.peak,
    computeShare: curve.compute,
    waveShare: curve.wave,
    waste: waveWasteOf({ rows: m, columns: n, tile: TILE, processors: engine.processors }),
  })
  const bytes = productTrafficOf({
    rows: m,
    columns: n,
    inner: k,
    weightBytes: curve.weightBytes,
    activationBytes: curve.activationBytes,
    resultBytes: VALUE_BYTES,
    narrow: curve.narrow,
  })
  return { computeTime, memoryTime: bytes / (engine.bandwidth * curve.memory) }
}

export type AttentionWork = {
  readonly sequences: number
  readonly queries: number
  readonly heads: number
  readonly kvHeads: number
  readonly width: number
  /** Visible query-key pairs per sequence and head. */
  readonly pairs: number
}

/** Forward pass of fused attention. */
export function attentionTime(curve: AttentionCurve, engine: Engine, work: AttentionWork): number {
  const { sequences, queries, heads, kvHeads, width, pairs } = work
  const blocks = (sequences * heads * Math.ceil(queries / TILE)) / engine.processors
  const shape = blocks < 1 ? blocks ** -curve.under : 1 + curve.wave * (Math.ceil(blocks) / blocks - 1)
  const efficiency = curve.compute[width <= 64 ? '64' : width <= 192 ? '128' : '256'] ?? curve.compute['128'] ?? 0.5
  return fusedAttentionTimeOf({
    sequences,
    queries,
    heads,
    kvHeads,
    width,
    pairs,
    bytesPerValue: VALUE_BYTES,
    ramp: curve.ramp,
    shape,
    peakFlops: engine.attentionPeak,
    computeShare: efficiency,
    memoryBandwidth: engine.bandwidth,
    memoryShare: curve.memory,
    start: curve.start_s,
  })
}

/** Fused attention backward: 2.5 times the operations, at a lower rate than forward (two more products per tile, more traffic on chip). */
export const ATTENTION_BACKWARD = 2.5 / 0.78

/** Share of the memory bandwidth that elementwise kernels reach on large tensors. */
export const VECTOR_EFFICIENCY = 0.82
const VECTOR_START = 2e-6

export const vectorTime = (engine: Engine, traffic: number): number =>
  traffic === 0 ? 0 : VECTOR_START + traffic / (engine.bandwidth * VECTOR_EFFICIENCY)
