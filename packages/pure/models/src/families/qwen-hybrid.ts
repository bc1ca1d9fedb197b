// Qwen3-Next and Qwen3.5: three of four layers are gated delta networks, the fourth attends with a gate on its output; dense or
// fine-grained experts with one gated shared expert; a vision tower in the wrappers.

import type { DeltaNet, Group, Layer } from '../architecture.ts'
import {
  attention,
  BIDIRECTIONAL,
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
import { type Dimensions, dimensions } from './dimensions.ts'
import { expertCounts } from './expert-counts.ts'
import type { Importer } from './importer.ts'

export const qwenHybrid: Importer = (config, modelType) => {
  const size = dimensions(config.withDefaults({ head_dim: 256 }))
  const { width, layers } = size
  const norm = (name: string) => rmsNorm(name, width)
  const types = config.texts('layer_types')
  if (types && types.length !== layers) config.refuse('layer_types', `lists ${types.length} layers where there are ${layers}`)
  const interval = config.count('full_attention_interval', 4)
  const isAttention = (index: number): boolean => (types ? types[index] === 'full_attention' : (index + 1) % interval === 0)
  const feedForward = config.has('num_experts') ? experts(config, width) : gatedMlp({ width, inner: config.count('intermediate_size') })
  const block = (kind: string): readonly Layer[] =>
    preNormBlock(norm, kind === 'attention' ? gatedAttention(config, size) : deltaNet(config, width), feedForward)
  return languageModel({
    ...size,
    modelType,
    kindOf: (index) => (isAttention(index) ? 'attention' : 'delta'),
    block,
    tied: config.flag('tie_word_embeddings', false),
    finalNorm: norm('final_norm'),
    others: predictionModule(config, { width, block: block('attention') }),
  })
}

export const qwenHybridWithVision: Importer = (config, modelType) => {
  const tied = config.flag('tie_word_embeddings', false)
  const model = qwenHybrid(config.child('text_config').withDefaults({ tie_word_embeddings: tied }), modelType)
  return config.has('vision_config')
    ? { ...model, groups: [...model.groups, ...visionTower(config.child('vision_config'), model.width)] }
    : model
}

function gatedAttention(config: FieldReader, { width, heads, kvHeads, headWidth }: Dimensions): Layer {
  const bias = config.flag('attention_bias', false)
  const gated = config.flag('attn_output_gate', true)
  return attention({ width, heads, kvHeads, headWidth, bias: { qkv: bias, output: bias }, qkNorm: 'head', gated })
}

const deltaNet = (config: FieldReader, width: number): DeltaNet => ({
  kind: 'delta-net',
  name: 'mixer',
  width,
  keyHeads: config.count('linear_num_key_heads', 16),
  valueHeads: config.count('linear_num_value_heads', 32),
  keyWidth: config.count('linear_key_head_dim', 128),
  valueWidth: config.count('linear_value_head_dim', 128),
  kernel: config.count('linear_conv_kernel_dim', 4),
})

function experts(config: FieldReader, width: number): Layer {
  const sharedInner = config.size('shared_expert_intermediate_size', 512)
  const counts = expertCounts(config, { experts: 'num_experts', active: 'num_experts_per_tok' }, { active: 10 })
  return mixture({ width, ...counts, inner: config.count('moe_intermediate_size', 512), sharedInner, sharedGate: sharedInner > 0 })
}

function predictionModule(config: FieldReader, { width, block }: { width: number; block: readonly Layer[] }): readonly Group[] {
  const count = config.size(['mtp_num_hidden_layers', 'num_nextn_predict_layers'], 0)
  if (count === 0) return []
  const merge = projection('merge', { inputs: 2 * width, outputs: width })
  const norms = ['token_norm', 'hidden_norm'].map((name) => rmsNorm(name, width))
  return [
    { name: 'prediction', stack: 'prediction', count, positions: 'text', layers: [...norms, merge, ...block, rmsNorm('head_norm', width)] },
  ]
}

/** Positions are those of the largest grid the tower has a table for; larger images interpolate it. */
function visionTower(config: FieldReader, textWidth: number): readonly Group[] {
  const width = config.count('hidden_size')
  const positions = config.count('num_position_embeddings')
  const patch = config.count('in_channels', 3) * config.count('temporal_patch_size', 2) * config.count('patch_size', 16) ** 2
  const merged = config.count('spatial_merge_size', 2) ** 2
  const mixing = { ...classicAttention({ width, heads: config.count('num_heads'), mask: BIDIRECTIONAL }), rotary: true }
  const mlp = plainMlp({ width, inner: config.count('intermediate_size') })
  const one = { stack: 'vision', count: 1 } as const
  const input: readonly Layer[] = [
    projection('patches', { inputs: patch, outputs: width, bias: true }),
    { kind: 'embedding', name: 'positions', rows: positions, width, of: 'position' },
  ]
  const adapter: readonly Layer[] = [
    projection('fc1', { inputs: merged * width, outputs: merged * width, bias: true }),
    projection('fc2', { inputs: merged * width, outputs: config.count('out_hidden_size', textWidth), bias: true }),
  ]
  return [
    { ...one, name: 'vision input', positions, layers: input },
    {
      name: 'vision layer',
      stack: 'vision',
      count: config.layerCount('depth'),
      positions,
      layers: preNormBlock((name) => layerNorm(name, width), mixing, mlp),
    },
    { ...one, name: 'vision output', positions, layers: [layerNorm('merge_norm', width)] },
    { ...one, name: 'vision adapter', positions: positions / merged, layers: adapter },
  ]
}
