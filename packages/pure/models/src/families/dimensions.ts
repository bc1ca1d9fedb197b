// What nearly every transformer config says, read once with the checks that go with it.

import type { FieldReader } from '../field-reader.ts'

export type Dimensions = {
  readonly width: number
  readonly layers: number
  readonly heads: number
  readonly kvHeads: number
  readonly headWidth: number
  readonly vocabulary: number
  readonly longestContext: number | undefined
}

const NAMES = {
  width: ['hidden_size', 'n_embd', 'd_model', 'n_embed', 'dim'],
  layers: ['num_hidden_layers', 'n_layer', 'num_layers', 'n_layers'],
  heads: ['num_attention_heads', 'n_head', 'num_heads', 'n_heads'],
  kvHeads: ['num_key_value_heads', 'num_kv_heads', 'n_head_kv'],
  context: ['max_position_embeddings', 'n_positions', 'n_ctx', 'max_sequence_length', 'seq_length'],
} as const

export function dimensions(config: FieldReader): Dimensions {
  const width = config.count(NAMES.width)
  const heads = config.count(NAMES.heads)
  const kvHeads = config.count(NAMES.kvHeads, heads)
  if (heads % kvHeads !== 0) config.refuse('num_key_value_heads', `${heads} attention heads cannot share ${kvHeads} key-value heads evenly`)
  return {
    width,
    layers: config.layerCount(NAMES.layers),
    heads,
    kvHeads,
    headWidth: headWidth(config, { width, heads }),
    vocabulary: config.count('vocab_size'),
    longestContext: NAMES.context.some((name) => config.has(name)) ? config.count(NAMES.context) : undefined,
  }
}

function headWidth(config: FieldReader, { width, heads }: { width: number; heads: number }): number {
  if (config.has('head_dim')) return config.count('head_dim')
  const name = NAMES.heads.find((candidate) => config.has(candidate)) ?? NAMES.heads[0]
  if (width % heads !== 0) config.refuse(name, `${heads} heads do not divide the width ${width}, and no head_dim is given`)
  return width / heads
}
