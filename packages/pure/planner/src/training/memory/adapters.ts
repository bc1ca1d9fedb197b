// Low-rank adapters (Hu et al., LoRA, 2021): beside a frozen product [m, k] x [k, n] runs [m, k] x [k, r] x [r, n], and only the two thin
// matrices are trained. Products come merged here (queries, keys and values; gate and up).

import { type Engine, gemmTime, vectorTime } from '../../machine/kernels.ts'
import type { GemmCurve } from '../../machine/silicon.ts'
import type { LocalOperator } from '../time/local-operators.ts'
import type { Runtime } from '../time/runtime.ts'
import type { Adapter } from './precision.ts'

const ATTENTION = /(^|\.)attention\.(qkv|q|kv|o|q_a|q_b|kv_a|kv_b)$/
/** What decides on routing is small and stays frozen. */
const ROUTING = /\.(router|shared_gate)$/

type AdapterPlacement = { readonly adapter: Adapter; readonly per: Runtime['adaptersPer'] }

/** Adapters of one product; 0 where it stays frozen. */
export function adapterCount({ adapter, per }: AdapterPlacement, { name, operator }: LocalOperator): number {
  if (operator.kind !== 'gemm' || !isLayer(operator) || ROUTING.test(name)) return 0
  if (adapter.targets === 'attention' && !ATTENTION.test(name)) return 0
  return per === 'matrix' ? (operator.merged ?? 1) : 1
}

const isLayer = ({ stack }: LocalOperator['operator']): boolean => stack === 'decoder' || stack === 'encoder'

/** Elements of the adapters of one product. */
export function adapterElements(placement: AdapterPlacement, local: LocalOperator): number {
  const { operator, weightsBy } = local
  const count = adapterCount(placement, local)
  return operator.kind === 'gemm' && count > 0 ? (placement.adapter.rank * (count * operator.k + operator.n)) / weightsBy : 0
}

/** Quantized weights, as bitsandbytes stores them: linear layers only; token table and head keep 16 bits. */
export const isQuantized = ({ baseWeight }: Adapter, { operator }: LocalOperator): boolean => baseWeight < 2 && isLayer(operator)

/**
 * Share of the memory bandwidth at which NF4 is turned into 16 bits before every product, forward and backward. From one pair of runs of
 * LitGPT (Raschka, "Finetuning LLMs with LoRA and QLoRA", 2023): Llama 2 7B on an A100 of 40 GB takes 6,686 s in BF16 and 10,060 s in NF4 for
 * 50,000 microbatches of one Alpaca example: 34 ms a pass for 6.6e9 weights, read at 0.52 and written at 2 bytes each, is 0.32 of 1,555 GB/s.
 */
const DEQUANTIZE = 0.32

export const dequantizeTime = ({ baseWeight }: Adapter, { bandwidth }: Engine, elements: number): number =>
  (elements * (baseWeight + 2)) / (bandwidth * DEQUANTIZE)

type AdapterPass = { readonly m: number; readonly n: number; readonly k: number; readonly backward: boolean }

/** Thin products and the sum with the frozen one, which are bound by memory. Backward: for both matrices, for what is between them, for the input. */
export function adapterTime(
  { rank }: Adapter,
  { form, engine }: { form: GemmCurve; engine: Engine },
  { m, n, k, backward }: AdapterPass,
): number {
  if (!backward)
    return gemmTime(form, engine, { m, n: rank, k }) + gemmTime(form, engine, { m, n, k: rank }) + vectorTime(engine, ADDED_BYTES * m * n)
  return (
    gemmTime(form, engine, { m: rank, n, k: m }) +
    gemmTime(form, engine, { m, n: rank, k: n }) +
    gemmTime(form, engine, { m: rank, n: k, k: m }) +
    gemmTime(form, engine, { m, n: k, k: rank }) +
    vectorTime(engine, ADDED_BYTES * m * k)
  )
}

/** Two 16-bit operands read, one sum written. */
const ADDED_BYTES = 3 * 2
