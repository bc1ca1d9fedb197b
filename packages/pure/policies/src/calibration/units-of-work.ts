// Of what the planner's curves make a time (planner/kernels.ts, planner/fabric.ts with their shape terms at rest), as counts of units. A test
// of the command holds the two to each other.

import type { AttentionRow, CollectiveName, LayerRow } from './measurement.ts'

type Product = { readonly m: number; readonly n: number; readonly k: number }

/** A start, operations, operations that a longer inner dimension would have amortised, and bytes moved. */
export const productUnits = ({ m, n, k }: Product, elementBytes: number): readonly [number, number, number, number] => [
  1,
  2 * m * n * k,
  2 * m * n,
  (n * k + m * k) * elementBytes + 2 * m * n,
]

/** A start, bytes moved, and operations over the causal half of the scores. */
export function attentionUnits(row: Omit<AttentionRow, 'measured' | 'way' | 'ranks' | 'seconds'>): readonly [number, number, number] {
  const { sequences, heads, kv_heads, length, width } = row
  const pairs = (length * (length + 1)) / 2
  return [1, sequences * length * width * 2 * (2 * heads + 4 * kv_heads), 4 * sequences * heads * width * pairs]
}

type LayerShape = Omit<LayerRow, 'measured' | 'ranks' | 'seconds'>

/** The products of one layer, forward: queries, keys and values together, output, both halves of the gate, and back. */
export function layerProducts({ sequences, length, width, heads, kv_heads, inner }: LayerShape): readonly Product[] {
  const m = sequences * length
  const head = width / heads
  return [
    { m, n: (heads + 2 * kv_heads) * head, k: width },
    { m, n: width, k: heads * head },
    { m, n: 2 * inner, k: width },
    { m, n: width, k: inner },
  ]
}

/** Bytes that perfectly fused elementwise work of one layer would move, forward: two norms, two residuals, rotary positions, the gate. */
export function layerVectorBytes({ sequences, length, width, heads, kv_heads, inner }: LayerShape, elementBytes: number): number {
  const rotary = (heads + kv_heads) * (width / heads)
  return sequences * length * elementBytes * (2 * 2 * width + 2 * 3 * width + 2 * rotary + 3 * inner)
}

/** Times the message, in the bandwidth-optimal algorithm: what each rank sends. */
export const collectiveVolume = (name: CollectiveName, ranks: number): number => ((name === 'all-reduce' ? 2 : 1) * (ranks - 1)) / ranks
