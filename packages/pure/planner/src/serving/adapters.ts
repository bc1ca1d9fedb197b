// Low-rank adapters on one model: those of a batch lie in the device's memory, the others wait in the host's. Two kernels more for every
// product that is adapted read the adapters of the batch once and the activations again (grouped products as in Punica, MLSys 2024, and S-LoRA,
// MLSys 2024); experts are not adapted.

import type { Operator } from '@ironlaw/models'
import type { Adapters } from './mechanisms.ts'
import type { ReplicaDesign } from './replica-design.ts'

/** Adapters are kept in 16 bits. */
const BYTES = 2

type Target = Adapters['targets'][number]

const TARGETS: readonly (readonly [RegExp, Target, number])[] = [
  [/\.qkv$/, 'attention', 3],
  [/\.(?:o|q|kv|q_a|q_b|kv_a|kv_b)$/, 'attention', 1],
  [/\.up$/, 'mlp', 2],
  [/\.down$/, 'mlp', 1],
]

type AdaptedProduct = {
  /** Adapters in one: queries, keys and values have their own. */
  readonly slices: number
  /** Of one rank: what divides the product divides one half of the adapter. */
  readonly inputs: number
  readonly outputs: number
}

/** How an operator is adapted; undefined where it is not. */
export function adaptedProduct({ adapters, layout }: ReplicaDesign, operator: Operator): AdaptedProduct | undefined {
  if (!adapters || operator.kind !== 'gemm') return undefined
  const found = TARGETS.find(([pattern, target]) => pattern.test(operator.name) && adapters.targets.includes(target))
  if (!found) return undefined
  const { n, k, split } = operator
  return {
    slices: found[2],
    inputs: split === 'row' ? k / layout.tensor : k,
    outputs: split === 'column' ? n / layout.tensor : n,
  }
}

export const adapterElements = ({ rank }: Adapters, { slices, inputs, outputs }: AdaptedProduct): number =>
  rank * (slices * inputs + outputs)

export const adapterProductBytes = (adapters: Adapters, product: AdaptedProduct): number => BYTES * adapterElements(adapters, product)

/** Adapters that a step with so many tokens uses. */
export const adaptersInStep = ({ activePerBatch, count }: Adapters, tokens: number): number => Math.min(activePerBatch, count, tokens)

/** Chance that the adapter of a request has to be fetched from the host: all are asked for alike, the least recently used makes room. */
export const fetchShare = ({ count, activePerBatch }: Adapters): number => Math.max(0, 1 - activePerBatch / count)
