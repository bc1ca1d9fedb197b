// Decoders with LayerNorm, biases and a plain MLP: GPT-2, OPT, BLOOM, GPT-NeoX (Pythia), Phi-1 and 2, Falcon, StarCoder.

import type { Layer } from '../architecture.ts'
import { attention, classicAttention, layerNorm, plainMlp, preNormBlock, projection } from '../blocks.ts'
import type { FieldReader } from '../field-reader.ts'
import { languageModel } from '../language-model.ts'
import { dimensions } from './dimensions.ts'
import type { Importer } from './importer.ts'

const uniform = (): string => 'layer'

export const gpt2: Importer = (config, modelType) => {
  const size = dimensions(config)
  const { width, heads, headWidth } = size
  const kvHeads = modelType === 'gpt_bigcode' && config.flag('multi_query', true) ? 1 : heads
  const mixer = attention({ width, heads, kvHeads, headWidth, bias: { qkv: true, output: true }, rotary: false })
  const positions = config.count(['n_positions', 'max_position_embeddings', 'n_ctx'], 1024)
  return languageModel({
    ...size,
    modelType,
    kindOf: uniform,
    block: () => preNormBlock((name) => layerNorm(name, width), mixer, plainMlp({ width, inner: config.count('n_inner', 4 * width) })),
    tied: config.flag('tie_word_embeddings', true),
    finalNorm: layerNorm('final_norm', width),
    inputs: [{ kind: 'embedding', name: 'positions', rows: positions, width, of: 'position' }],
    longestContext: positions,
  })
}

export const opt: Importer = (config, modelType) => {
  const size = dimensions(config)
  const { width, heads } = size
  const bias = config.flag('enable_bias', true)
  const normFirst = config.flag('do_layer_norm_before', true)
  const tableWidth = config.count('word_embed_proj_dim', width)
  const positions = config.count('max_position_embeddings', 2048)
  const norm = (name: string): Layer => ({ ...layerNorm(name, width), bias: config.flag('layer_norm_elementwise_affine', true) })
  const mixer = { ...classicAttention({ width, heads, mask: { kind: 'causal' } }), bias: { qkv: bias, output: bias } }
  const mlp = plainMlp({ width, inner: config.count('ffn_dim'), bias })
  // The table of positions starts with two rows that no token uses.
  const table: Layer = { kind: 'embedding', name: 'positions', rows: positions + 2, width, of: 'position' }
  const projected = tableWidth !== width
  return languageModel({
    ...size,
    modelType,
    kindOf: uniform,
    block: () =>
      normFirst ? [norm('input_norm'), mixer, norm('mlp_norm'), mlp] : [mixer, norm('attention_norm'), mlp, norm('output_norm')],
    tied: config.flag('tie_word_embeddings', true),
    ...(normFirst && !config.flag('_remove_final_layer_norm', false) && { finalNorm: layerNorm('final_norm', width) }),
    inputs: [...(projected ? [projection('project_in', { inputs: tableWidth, outputs: width })] : []), table],
    beforeHead: projected ? [projection('project_out', { inputs: width, outputs: tableWidth })] : [],
    tableWidth,
    longestContext: positions,
  })
}

export const bloom: Importer = (config, modelType) => {
  const size = dimensions(config)
  const { width, heads } = size
  const mixer = classicAttention({ width, heads, mask: { kind: 'causal' } })
  return languageModel({
    ...size,
    modelType,
    kindOf: uniform,
    block: () => preNormBlock((name) => layerNorm(name, width), mixer, plainMlp({ width, inner: 4 * width })),
    tied: config.flag('tie_word_embeddings', true),
    finalNorm: layerNorm('final_norm', width),
    inputs: [layerNorm('tokens_norm', width)],
  })
}

export const gptNeox: Importer = (config, modelType) => {
  const size = dimensions(config)
  const { width, heads, headWidth } = size
  const bias = config.flag('attention_bias', true)
  const mixer = attention({ width, heads, headWidth, bias: { qkv: bias, output: bias } })
  return languageModel({
    ...size,
    modelType,
    kindOf: uniform,
    block: () => preNormBlock((name) => layerNorm(name, width), mixer, plainMlp({ width, inner: config.count('intermediate_size') })),
    tied: config.flag('tie_word_embeddings', false),
    finalNorm: layerNorm('final_norm', width),
  })
}

export const phi: Importer = (config, modelType) => {
  const size = dimensions(config)
  const { width, heads, kvHeads, headWidth } = size
  const qkNorm = config.flag('qk_layernorm', false) ? 'head-bias' : 'none'
  const mixer = attention({ width, heads, kvHeads, headWidth, bias: { qkv: true, output: true }, qkNorm })
  const mlp = plainMlp({ width, inner: config.count('intermediate_size', 4 * width), sharesInput: true })
  return languageModel({
    ...size,
    modelType,
    kindOf: uniform,
    block: () => [layerNorm('input_norm', width), mixer, mlp],
    tied: config.flag('tie_word_embeddings', false),
    headBias: true,
    finalNorm: layerNorm('final_norm', width),
  })
}

export const falcon: Importer = (config, modelType) => {
  const size = dimensions(config)
  const { width, heads, headWidth } = size
  const bias = config.flag('bias', false)
  const mixer = attention({
    width,
    heads,
    kvHeads: falconKvHeads(config, heads),
    headWidth,
    bias: { qkv: bias, output: bias },
    rotary: !config.flag('alibi', false),
  })
  const norms = falconNorms(config)
  const mlp = plainMlp({ width, inner: config.count('ffn_hidden_size', 4 * width), bias, sharesInput: norms === 1 })
  return languageModel({
    ...size,
    modelType,
    kindOf: uniform,
    block: () => [layerNorm('input_norm', width), mixer, ...(norms === 2 ? [layerNorm('mlp_norm', width)] : []), mlp],
    tied: config.flag('tie_word_embeddings', true),
    finalNorm: layerNorm('final_norm', width),
  })
}

function falconKvHeads(config: FieldReader, heads: number): number {
  if (config.flag('new_decoder_architecture', false)) return config.count(['num_kv_heads', 'n_head_kv'], heads)
  return config.flag('multi_query', true) ? 1 : heads
}

function falconNorms(config: FieldReader): number {
  if (config.flag('new_decoder_architecture', false)) return config.count('num_ln_in_parallel_attn', 2)
  return config.flag('parallel_attn', true) ? 1 : 2
}
