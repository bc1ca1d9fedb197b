// Puts the groups of a language model together: token table, decoder layers grouped by kind, final norm, output projection.

import type { Architecture, Group, Layer, Norm } from './architecture.ts'

export type LanguageModel = {
  readonly modelType: string
  readonly width: number
  readonly vocabulary: number
  readonly layers: number
  /** Names the kind of the layer at an index; layers of one kind become one group. */
  readonly kindOf: (index: number) => string
  readonly block: (kind: string) => readonly Layer[]
  readonly tied: boolean
  readonly headBias?: boolean
  readonly finalNorm?: Norm
  readonly longestContext?: number | undefined
  /** Beside the token table, and where that is narrower than the model (OPT-350M). */
  readonly inputs?: readonly Layer[]
  readonly tableWidth?: number
  readonly beforeHead?: readonly Layer[]
  readonly others?: readonly Group[]
}

export function languageModel(model: LanguageModel): Architecture {
  const { kinds, counts, layout } = groupedLayers(model)
  const tableWidth = model.tableWidth ?? model.width
  const table: Layer = { kind: 'embedding', name: 'tokens', rows: model.vocabulary, width: tableWidth, of: 'token' }
  const head: Layer = {
    kind: 'linear',
    name: 'head',
    inputs: tableWidth,
    outputs: model.vocabulary,
    bias: model.headBias ?? false,
    tied: model.tied,
    role: 'head',
  }
  const decoder = kinds.map((kind, at): Group => ({
    name: kind,
    stack: 'decoder',
    count: counts[at] ?? 0,
    positions: 'text',
    layers: model.block(kind),
  }))
  return {
    modelType: model.modelType,
    width: model.width,
    vocabulary: model.vocabulary,
    ...(model.longestContext !== undefined && { longestContext: model.longestContext }),
    tied: model.tied,
    groups: [
      { name: 'input', stack: 'input', count: 1, positions: 'text', layers: [table, ...(model.inputs ?? [])] },
      ...decoder,
      ...(model.finalNorm
        ? [{ name: 'final norm', stack: 'output', count: 1, positions: 'text', layers: [model.finalNorm] } as const]
        : []),
      { name: 'head', stack: 'output', count: 1, positions: 'output', layers: [...(model.beforeHead ?? []), head] },
      ...(model.others ?? []),
    ],
    layout,
  }
}

/** The group of the token table comes first, so the first kind of layer is group 1. */
function groupedLayers({ layers, kindOf }: LanguageModel): { kinds: string[]; counts: number[]; layout: number[] } {
  const kinds: string[] = []
  const counts: number[] = []
  const layout: number[] = []
  for (let index = 0; index < layers; index += 1) {
    const kind = kindOf(index)
    const known = kinds.indexOf(kind)
    const at = known === -1 ? kinds.push(kind) - 1 : known
    counts[at] = (counts[at] ?? 0) + 1
    layout.push(at + 1)
  }
  return { kinds, counts, layout }
}
