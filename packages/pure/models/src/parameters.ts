// Parameter counts. `total` is what publishers call the size of the model; the multi-token-prediction module that some
// checkpoints carry is counted apart (DeepSeek-V3: 671 B and a module of 11.5 B, shipped with copies of both token tables).

import type { Architecture, Group, Stack } from './architecture.ts'
import { activeElements, elements, type ModelPart, type Tensor, tensorsOf } from './tensors.ts'

export type ParameterCounts = {
  readonly total: number
  /** With only the routed experts one token visits; token tables and vision towers count in full. */
  readonly active: number
  /** `active` without the tables that are only read by index: what multiplies, and so what costs FLOPs. */
  readonly activeComputing: number
  /** Token and position tables; an untied output projection is `byPart.head`. */
  readonly embedding: number
  /** `total` without tables and without output projection: the N of scaling laws. */
  readonly nonEmbedding: number
  /** Multi-token-prediction module, not in `total`. */
  readonly prediction: number
  readonly byPart: Readonly<Partial<Record<ModelPart, number>>>
  readonly byStack: Readonly<Partial<Record<Stack, number>>>
}

export type CountedTensor = Tensor & { readonly group: string; readonly stack: Stack; readonly count: number }

/** Every learned tensor once, with how often it occurs. */
export const tensorList = (architecture: Architecture): CountedTensor[] =>
  architecture.groups.flatMap(({ name, stack, count, layers }) =>
    layers.flatMap(tensorsOf).map((tensor) => Object.assign(tensor, { group: name, stack, count })),
  )

export const groupParameters = (group: Group): number =>
  group.count * group.layers.flatMap(tensorsOf).reduce((sum, tensor) => sum + elements(tensor), 0)

export function parameterCounts(architecture: Architecture): ParameterCounts {
  const byPart: Partial<Record<ModelPart, number>> = {}
  const byStack: Partial<Record<Stack, number>> = {}
  let active = 0
  for (const tensor of tensorList(architecture)) {
    const size = tensor.count * elements(tensor)
    byStack[tensor.stack] = (byStack[tensor.stack] ?? 0) + size
    if (tensor.stack === 'prediction') continue
    byPart[tensor.part] = (byPart[tensor.part] ?? 0) + size
    active += tensor.count * activeElements(tensor)
  }
  const total = Object.values(byPart).reduce((sum, size) => sum + size, 0)
  const embedding = (byPart.embedding ?? 0) + (byPart.position ?? 0)
  const tiedHead = architecture.tied ? (byPart.embedding ?? 0) : 0
  return {
    total,
    active,
    activeComputing: active - embedding + tiedHead,
    embedding,
    nonEmbedding: total - embedding - (byPart.head ?? 0),
    prediction: byStack.prediction ?? 0,
    byPart,
    byStack,
  }
}
