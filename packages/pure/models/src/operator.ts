// One operator: what a kernel does once, and how often. A multiply-add is 2 FLOP. Forward FLOPs of matrix products are
// exact; elementwise work is counted as the arithmetic a plain implementation does, which only matters against bytes.

import { type Bytes, bytes, type Flop, flop } from '@ironlaw/units'
import type { Stack } from './architecture.ts'
import type { Flow } from './workload.ts'

export type Shape =
  /** [m, k] times [k, n]; `merged` is how many matrices of the model it joins, one when absent. */
  | { readonly kind: 'gemm'; readonly m: number; readonly n: number; readonly k: number; readonly merged?: number }
  /** `groups` products of [m, k] times [k, n], each with its own weights; m and groups are expectations where tokens are routed. */
  | {
      readonly kind: 'grouped-gemm'
      readonly groups: number
      readonly m: number
      readonly n: number
      readonly k: number
      readonly merged?: number
    }
  | AttentionShape
  /** A recurrence over the sequence with `channels` x `state` numbers of state. */
  | { readonly kind: 'scan'; readonly rows: number; readonly channels: number; readonly state: number }
  | {
      readonly kind: 'convolution'
      readonly rows: number
      readonly inputs: number
      readonly outputs: number
      readonly kernel: number
      readonly groups: number
    }
  /** Rows of a table read by index, or rows moved to another order. */
  | { readonly kind: 'lookup'; readonly rows: number; readonly width: number }
  /** Elementwise or row-wise work: bound by memory. */
  | { readonly kind: 'vector'; readonly rows: number; readonly width: number }

export type AttentionShape = {
  readonly kind: 'attention'
  readonly sequences: number
  readonly queries: number
  readonly keys: number
  readonly heads: number
  readonly kvHeads: number
  readonly keyWidth: number
  readonly valueWidth: number
  /** Unmasked query-key pairs per sequence and head. */
  readonly pairs: number
}

/** How tensor parallelism divides the operator: by columns (n), rows (k), heads, experts, or rows of activations; `whole` is repeated. */
export type Split = 'column' | 'row' | 'heads' | 'experts' | 'activations' | 'whole'

/** Of one occurrence. */
export type Cost = {
  readonly split: Split
  readonly forward: Flop
  readonly backward: Flop
  readonly weightBytes: Bytes
  readonly readBytes: Bytes
  readonly writtenBytes: Bytes
  /** Activations kept from the forward for the backward pass, each tensor by exactly one operator. */
  readonly savedBytes: Bytes
}

export type LocalOperator = { readonly name: string } & Shape & Cost

export type Operator = LocalOperator & { readonly group: string; readonly stack: Stack; readonly count: number }

type PlainCost = {
  readonly split: Split
  readonly flops: number
  readonly backward: number
  readonly weights: number
  readonly read: number
  readonly written: number
  readonly saved: number
}

/** Takes plain numbers (FLOP and bytes) so that the arithmetic of a layer reads as arithmetic. */
export const operator = (name: string, shape: Shape, cost: PlainCost): LocalOperator => ({
  name,
  ...shape,
  split: cost.split,
  forward: flop(cost.flops),
  backward: flop(cost.backward),
  weightBytes: bytes(cost.weights),
  readBytes: bytes(cost.read),
  writtenBytes: bytes(cost.written),
  savedBytes: bytes(cost.saved),
})

type Gemm = {
  readonly rows: number
  readonly inputs: number
  readonly outputs: number
  readonly split: Split
  readonly bias?: boolean
  /** False when another operator already keeps the input. */
  readonly keepsInput?: boolean
  readonly merged?: number
}

/** The backward of a matrix product is two products of the same size: for its input and for its weights. */
export function gemm(
  name: string,
  { precision }: Flow,
  { rows, inputs, outputs, split, bias = false, keepsInput = true, merged }: Gemm,
): LocalOperator {
  const flops = 2 * rows * inputs * outputs
  return operator(
    name,
    { kind: 'gemm', m: rows, n: outputs, k: inputs, ...(merged !== undefined && { merged }) },
    {
      split,
      flops,
      backward: 2 * flops,
      weights: (inputs + (bias ? 1 : 0)) * outputs * precision.weight,
      read: rows * inputs * precision.activation,
      written: rows * outputs * precision.activation,
      saved: keepsInput ? rows * inputs * precision.activation : 0,
    },
  )
}

type GroupedGemm = {
  readonly groups: number
  /** Rows over all groups together. */
  readonly rows: number
  readonly inputs: number
  readonly outputs: number
  readonly split: Split
  readonly bias?: boolean
  readonly keepsInput?: boolean
  readonly merged?: number
}

export function groupedGemm(
  name: string,
  { precision }: Flow,
  { groups, rows, inputs, outputs, split, bias = false, keepsInput = true, merged }: GroupedGemm,
): LocalOperator {
  const flops = 2 * rows * inputs * outputs
  return operator(
    name,
    { kind: 'grouped-gemm', groups, m: rows / groups, n: outputs, k: inputs, ...(merged !== undefined && { merged }) },
    {
      split,
      flops,
      backward: 2 * flops,
      weights: groups * (inputs + (bias ? 1 : 0)) * outputs * precision.weight,
      read: rows * inputs * precision.activation,
      written: rows * outputs * precision.activation,
      saved: keepsInput ? rows * inputs * precision.activation : 0,
    },
  )
}

type Vector = {
  readonly rows: number
  readonly width: number
  readonly split: Split
  readonly flopsPerElement: number
  /** Widths read, written and kept per row, in elements. */
  readonly reads: number
  readonly writes: number
  readonly keeps?: number
  readonly weights?: number
  /** Kept besides, in bytes. */
  readonly keptBytes?: number
}

export function vector(name: string, { precision }: Flow, work: Vector): LocalOperator {
  const { rows, width, split, flopsPerElement, reads, writes, keeps = 0, weights = 0, keptBytes = 0 } = work
  const flops = rows * width * flopsPerElement
  return operator(
    name,
    { kind: 'vector', rows, width },
    {
      split,
      flops,
      backward: 2 * flops,
      weights: weights * precision.weight,
      read: rows * reads * precision.activation,
      written: rows * writes * precision.activation,
      saved: rows * keeps * precision.activation + keptBytes,
    },
  )
}

/** The addition to the residual stream; with dropout its mask of one byte per element is kept. */
export const residual = (name: string, flow: Flow, width: number): LocalOperator =>
  vector(name, flow, {
    rows: flow.rows,
    width,
    split: 'activations',
    flopsPerElement: 1,
    reads: 2 * width,
    writes: width,
    keptBytes: flow.dropout ? flow.rows * width : 0,
  })
