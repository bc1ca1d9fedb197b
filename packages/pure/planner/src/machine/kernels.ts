// Kernel times from the silicon curves. Plain numbers in seconds, bytes and FLOP: these functions are the inner loop of the search.

import { fusedAttentionTime, productArithmeticTime, productTraffic, waveWaste } from '@ironlaw/laws/compute/kernels'
import { softRoofline } from '@ironlaw/laws/roofline/roofline'
import { quantity, seconds, type Seconds } from '@ironlaw/units'
import type { AttentionCurve, GemmCurve } from './silicon.ts'

/** The rates a curve is applied to: peak of the precision in FLOP/s, memory in B/s. */
export type Engine = {
  readonly peak: number
  /** Of 16-bit arithmetic, in which attention runs whatever the products run in. */
  readonly attentionPeak: number
  readonly bandwidth: number
  readonly processors: number
}

const TILE = 128
/** Results, queries, keys and values are in 16 bit. */
const VALUE_BYTES = quantity(2, 'B')

export type Product = { readonly m: number; readonly n: number; readonly k: number }

/** Time of [m, k] x [k, n]: compute and memory terms joined by a soft maximum, compute stretched by a last partial wave of tiles. */
export function gemmTime(curve: GemmCurve, engine: Engine, product: Product): number {
  const { computeTime, memoryTime } = productTimes(curve, engine, product)
  return curve.start_s + softRoofline.of({ computeTime, memoryTime, sharpness: quantity(curve.sharpness, '1') })
}

/** What a curve of products says of its arithmetic and its traffic. */
export type ProductRates = Omit<GemmCurve, 'start_s' | 'sharpness'>

type ProductTimes = { readonly computeTime: Seconds; readonly memoryTime: Seconds }

/** The arithmetic and the traffic of a product, each by itself. */
export function productTimes(curve: ProductRates, engine: Omit<Engine, 'attentionPeak'>, { m, n, k }: Product): ProductTimes {
  const rows = quantity(m, '1')
  const columns = quantity(n, '1')
  const inner = quantity(k, '1')
  const computeTime = productArithmeticTime.of({
    rows,
    columns,
    inner,
    ramp: quantity(curve.ramp, '1'),
    peakFlops: quantity(engine.peak, 'FLOP/s'),
    computeShare: quantity(curve.compute, '1'),
    waveShare: quantity(curve.wave, '1'),
    waste: waveWaste.of({ rows, columns, tile: quantity(TILE, '1'), processors: quantity(engine.processors, '1') }),
  })
  const bytes = productTraffic.of({
    rows,
    columns,
    inner,
    weightBytes: quantity(curve.weightBytes, 'B'),
    activationBytes: quantity(curve.activationBytes, 'B'),
    resultBytes: VALUE_BYTES,
    narrow: quantity(curve.narrow, '1'),
  })
  return { computeTime, memoryTime: seconds(bytes / (engine.bandwidth * curve.memory)) }
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
  return fusedAttentionTime.of({
    sequences: quantity(sequences, '1'),
    queries: quantity(queries, '1'),
    heads: quantity(heads, '1'),
    kvHeads: quantity(kvHeads, '1'),
    width: quantity(width, '1'),
    pairs: quantity(pairs, '1'),
    bytesPerValue: VALUE_BYTES,
    ramp: quantity(curve.ramp, '1'),
    shape: quantity(shape, '1'),
    peakFlops: quantity(engine.attentionPeak, 'FLOP/s'),
    computeShare: quantity(efficiency, '1'),
    memoryBandwidth: quantity(engine.bandwidth, 'B/s'),
    memoryShare: quantity(curve.memory, '1'),
    start: seconds(curve.start_s),
  })
}

/** Fused attention backward: 2.5 times the operations, at a lower rate than forward (two more products per tile, more traffic on chip). */
export const ATTENTION_BACKWARD = 2.5 / 0.78

/** Share of the memory bandwidth that elementwise kernels reach on large tensors. */
export const VECTOR_EFFICIENCY = 0.82
const VECTOR_START = 2e-6

export const vectorTime = (engine: Engine, traffic: number): number =>
  traffic === 0 ? 0 : VECTOR_START + traffic / (engine.bandwidth * VECTOR_EFFICIENCY)
