// Kernel times from the silicon curves. Plain numbers in seconds, bytes and FLOP: these functions are the inner loop of the search.

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

export type Product = { readonly m: number; readonly n: number; readonly k: number }

/** Time of [m, k] x [k, n]: compute and memory terms joined by a soft maximum, compute stretched by a last partial wave of tiles. */
export function gemmTime(curve: GemmCurve, engine: Engine, { m, n, k }: Product): number {
  const tiles = (Math.ceil(m / TILE) * Math.ceil(n / TILE)) / engine.processors
  const waste = Math.min(3, Math.ceil(tiles) / tiles - 1)
  const compute = ((2 * m * n * (k + curve.ramp)) / (engine.peak * curve.compute)) * (1 + curve.wave * waste)
  const traffic = n * k * curve.weightBytes * (1 + curve.narrow / n) + m * k * curve.activationBytes + 2 * m * n
  const memory = traffic / (engine.bandwidth * curve.memory)
  return curve.start_s + (compute ** curve.sharpness + memory ** curve.sharpness) ** (1 / curve.sharpness)
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
  const traffic = sequences * queries * width * 2 * (2 * heads + 4 * kvHeads)
  const efficiency = curve.compute[width <= 64 ? '64' : width <= 192 ? '128' : '256'] ?? curve.compute['128'] ?? 0.5
  const flops = 4 * sequences * heads * width * (pairs + queries * curve.ramp)
  return curve.start_s + traffic / (engine.bandwidth * curve.memory) + (flops / (engine.attentionPeak * efficiency)) * shape
}

/** Fused attention backward: 2.5 times the operations, at a lower rate than forward (two more products per tile, more traffic on chip). */
export const ATTENTION_BACKWARD = 2.5 / 0.78

/** Share of the memory bandwidth that elementwise kernels reach on large tensors. */
export const VECTOR_EFFICIENCY = 0.82
const VECTOR_START = 2e-6

export const vectorTime = (engine: Engine, traffic: number): number =>
  traffic === 0 ? 0 : VECTOR_START + traffic / (engine.bandwidth * VECTOR_EFFICIENCY)
