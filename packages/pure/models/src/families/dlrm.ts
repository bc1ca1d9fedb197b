// Recommendation models have no config.json of their own, so this format is ours:
//   { "model_type": "dlrm", "num_embeddings": [rows per table], "embedding_dim": 128, "dense_features": 13,
//     "bottom_mlp": [512, 256, 128], "top_mlp": [1024, 1024, 512, 256, 1],
//     "lookups": 1 or one number per table,
//     "interaction": "dot" (Naumov et al. 2019) or "dcn" (low-rank cross network, with "cross_layers" and "cross_rank") }

import type { Layer } from '../architecture.ts'
import { projection } from '../blocks.ts'
import type { FieldReader } from '../field-reader.ts'
import type { Importer } from './importer.ts'

export const dlrm: Importer = (config, modelType) => {
  const width = config.count('embedding_dim')
  const tables = config.counts('num_embeddings')
  const lookups = config.isList('lookups') ? config.counts('lookups') : tables.map(() => config.count('lookups', 1))
  if (lookups.length !== tables.length) config.refuse('lookups', `${lookups.length} numbers for ${tables.length} tables`)
  const bottom = config.counts('bottom_mlp')
  if (bottom.at(-1) !== width) config.refuse('bottom_mlp', `must end in embedding_dim, ${width}`)
  const vectors = tables.length + 1
  const bags = tables.map((rows, at): Layer => ({ kind: 'embedding-bag', name: `table_${at}`, rows, width, lookups: lookups[at] ?? 1 }))
  const crossed = config.text('interaction', 'dot') === 'dcn'
  const flat = vectors * width
  const topInputs = crossed ? flat : width + (vectors * (vectors - 1)) / 2
  const one = { count: 1, positions: 1 } as const
  return {
    modelType,
    width,
    vocabulary: 0,
    tied: false,
    groups: [
      { ...one, name: 'tables', stack: 'input', layers: bags },
      { ...one, name: 'bottom', stack: 'encoder', layers: chain('bottom', config.count('dense_features', 13), bottom) },
      {
        ...one,
        name: 'interaction',
        stack: 'encoder',
        layers: crossed ? crossNetwork(config, flat) : [{ kind: 'interaction', name: 'dot', vectors, width }],
      },
      { ...one, name: 'top', stack: 'output', layers: chain('top', topInputs, config.counts('top_mlp')) },
    ],
    layout: [1, 2],
  }
}

const chain = (name: string, inputs: number, outputs: readonly number[]): readonly Layer[] =>
  outputs.map((size, at) => projection(`${name}_${at}`, { inputs: at === 0 ? inputs : (outputs[at - 1] ?? 1), outputs: size, bias: true }))

function crossNetwork(config: FieldReader, flat: number): readonly Layer[] {
  const rank = config.count('cross_rank')
  return Array.from({ length: config.layerCount('cross_layers') }, (_, at) => [
    projection(`cross_${at}_down`, { inputs: flat, outputs: rank }),
    projection(`cross_${at}_up`, { inputs: rank, outputs: flat, bias: true }),
  ]).flat()
}
