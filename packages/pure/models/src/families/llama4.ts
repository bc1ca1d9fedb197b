// Llama 4: every token visits one routed expert and one shared; dense layers may alternate with sparse ones; three of four
// layers attend within chunks. The full config wraps the text model and a vision tower.

import type { Group, Layer } from '../architecture.ts'
import {
  attention,
  BIDIRECTIONAL,
  CAUSAL,
  classicAttention,
  gatedMlp,
  layerNorm,
  mixture,
  plainMlp,
  preNormBlock,
  projection,
  rmsNorm,
} from '../blocks.ts'
import type { FieldReader } from '../field-reader.ts'
import { languageModel } from '../language-model.ts'
import { dimensions } from './dimensions.ts'
import { expertCounts } from './expert-counts.ts'
import type { Importer } from './importer.ts'

export const llama4: Importer = (config, modelType) => {
  const model = llama4Text(config.child('text_config'), modelType)
  return config.has('vision_config')
    ? { ...model, groups: [...model.groups, ...visionTower(config.child('vision_config'), model.width)] }
    : model
}

export const llama4Text: Importer = (config, modelType) => {
  const size = dimensions(config.has('head_dim') ? config : config.with({ head_dim: 128 }))
  const { width } = size
  return languageModel({
    ...size,
    modelType,
    kindOf: kindReader(config),
    block: (kind) =>
      preNormBlock(
        (name) => rmsNorm(name, width),
        mixer(config, kind.startsWith('chunked')),
        kind.endsWith('sparse') ? experts(config, width) : gatedMlp({ width, inner: config.count('intermediate_size_mlp') }),
      ),
    tied: config.flag('tie_word_embeddings', false),
    finalNorm: rmsNorm('final_norm', width),
  })
}

function kindReader(config: FieldReader): (index: number) => string {
  const step = config.count('interleave_moe_layer_step', 1)
  const sparse = config.has('moe_layers') ? config.indices('moe_layers') : undefined
  const types = config.texts('layer_types')
  const interval = config.count('no_rope_layer_interval', 4)
  const isChunked = (index: number): boolean => (types ? types[index] === 'chunked_attention' : (index + 1) % interval !== 0)
  return (index) =>
    `${isChunked(index) ? 'chunked' : 'causal'} ${(sparse ? sparse.includes(index) : (index + 1) % step === 0) ? 'sparse' : 'dense'}`
}

function mixer(config: FieldReader, chunked: boolean): Layer {
  const { width, heads, kvHeads, headWidth } = dimensions(config.has('head_dim') ? config : config.with({ head_dim: 128 }))
  const bias = config.flag('attention_bias', false)
  return attention({
    width,
    heads,
    kvHeads,
    headWidth,
    bias: { qkv: bias, output: bias },
    rotary: chunked,
    qkNorm: chunked && config.flag('use_qk_norm', true) ? 'plain' : 'none',
    mask: chunked ? { kind: 'chunked', chunk: config.count('attention_chunk_size', 8192) } : CAUSAL,
  })
}

function experts(config: FieldReader, width: number): Layer {
  const inner = config.count('intermediate_size')
  const counts = expertCounts(config, { experts: 'num_local_experts', active: 'num_experts_per_tok' }, { experts: 16, active: 1 })
  return mixture({ width, ...counts, inner, sharedInner: inner })
}

function visionTower(config: FieldReader, textWidth: number): readonly Group[] {
  const width = config.count('hidden_size', 768)
  const heads = config.count('num_attention_heads', 16)
  const patch = config.count('patch_size', 14)
  const positions = (config.count('image_size', 448) / patch) ** 2 + 1
  const inner = config.count('intermediate_size', 5632)
  const projected = { input: config.count('projector_input_dim', 4096), output: config.count('projector_output_dim', 4096) }
  const mixing = { ...classicAttention({ width, heads, mask: BIDIRECTIONAL }), rotary: true }
  const one = { stack: 'vision', count: 1 } as const
  return [
    {
      ...one,
      name: 'vision input',
      positions,
      layers: [
        projection('patches', { inputs: config.count('num_channels', 3) * patch ** 2, outputs: width }),
        { kind: 'constant', name: 'class_token', shape: [width] },
        { kind: 'embedding', name: 'positions', rows: positions, width, of: 'position' },
        layerNorm('pre_norm', width),
      ],
    },
    {
      name: 'vision layer',
      stack: 'vision',
      count: config.count('num_hidden_layers', 34),
      positions,
      layers: preNormBlock((name) => layerNorm(name, width), mixing, plainMlp({ width, inner })),
    },
    { ...one, name: 'vision output', positions, layers: [layerNorm('post_norm', width)] },
    // Pixel shuffle merges 2 x 2 patches before the two projections.
    {
      ...one,
      name: 'vision adapter',
      positions: (positions - 1) * pixelShuffle(config) ** 2,
      layers: [
        projection('fc1', { inputs: inner, outputs: projected.input }),
        projection('fc2', { inputs: projected.output, outputs: projected.output }),
        projection('to_text', { inputs: config.count('vision_output_dim', 7680), outputs: textWidth }),
      ],
    },
  ]
}

const pixelShuffle = (config: FieldReader): number => config.fraction('pixel_shuffle_ratio', 0.5)
