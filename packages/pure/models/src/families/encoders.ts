// Encoders (BERT, RoBERTa, DistilBERT), the encoder-decoder T5, and the vision transformer.
// An encoder is counted as its base class with pooler; task heads differ per checkpoint and are left out.

import type { Architecture, Attention, Group, Layer, Mask } from '../architecture.ts'
import {
  attention,
  BIDIRECTIONAL,
  CAUSAL,
  classicAttention,
  gatedMlp,
  layerNorm,
  plainMlp,
  preNormBlock,
  projection,
  rmsNorm,
} from '../blocks.ts'
import type { FieldReader } from '../field-reader.ts'
import { dimensions } from './dimensions.ts'
import type { Importer } from './importer.ts'

export const bert: Importer = (config, modelType) => {
  const { width, heads, layers, vocabulary } = dimensions(config)
  const distilled = modelType === 'distilbert'
  const positions = config.count('max_position_embeddings', 512)
  const table = (name: string, rows: number): Layer => ({
    kind: 'embedding',
    name,
    rows,
    width,
    of: name === 'tokens' ? 'token' : 'position',
  })
  const inner = config.count(distilled ? 'hidden_dim' : 'intermediate_size', 4 * width)
  const mixer = classicAttention({ width, heads, mask: BIDIRECTIONAL })
  const inputs = [
    table('tokens', vocabulary),
    table('positions', positions),
    ...(distilled ? [] : [table('types', config.count('type_vocab_size', 2))]),
  ]
  const pooler: Group = {
    name: 'pooler',
    stack: 'output',
    count: 1,
    positions: 1,
    layers: [projection('pooler', { inputs: width, outputs: width, bias: true })],
  }
  return {
    modelType,
    width,
    vocabulary,
    longestContext: positions,
    // Nothing in the base class multiplies by the token table.
    tied: false,
    groups: [
      { name: 'input', stack: 'input', count: 1, positions: 'text', layers: [...inputs, layerNorm('tokens_norm', width)] },
      {
        name: 'layer',
        stack: 'encoder',
        count: layers,
        positions: 'text',
        layers: [mixer, layerNorm('attention_norm', width), plainMlp({ width, inner }), layerNorm('output_norm', width)],
      },
      ...(distilled ? [] : [pooler]),
    ],
    layout: Array.from({ length: layers }, () => 1),
  }
}

export const t5: Importer = (given, modelType) => {
  const config = given.withDefaults({ feed_forward_proj: modelType === 'mt5' ? 'gated-gelu' : 'relu' })
  const size = dimensions(config.withDefaults({ head_dim: config.count('d_kv', 64) }))
  const { width, vocabulary, layers } = size
  const decoderLayers = config.layerCount('num_decoder_layers', layers)
  const tied = config.flag('tie_word_embeddings', modelType !== 'mt5')
  const stacks = [
    ...t5Stack(config, { name: 'encoder', layers, size }),
    ...t5Stack(config, { name: 'decoder', layers: decoderLayers, size }),
  ]
  const head: Layer = { kind: 'linear', name: 'head', inputs: width, outputs: vocabulary, bias: false, tied, role: 'head' }
  const indexOf = (name: string): number => 1 + stacks.findIndex((group) => group.name === name)
  const layoutOf = (name: string, count: number): number[] =>
    Array.from({ length: count }, (_, index) => indexOf(index === 0 ? `${name} first` : name))
  return {
    modelType,
    width,
    vocabulary,
    tied,
    groups: [
      {
        name: 'input',
        stack: 'input',
        count: 1,
        positions: 'text',
        layers: [{ kind: 'embedding', name: 'tokens', rows: vocabulary, width, of: 'token' }],
      },
      ...stacks,
      { name: 'head', stack: 'output', count: 1, positions: 'output', layers: [head] },
    ],
    layout: [...layoutOf('encoder', layers), ...layoutOf('decoder', decoderLayers)],
  }
}

type T5Stack = { readonly name: 'encoder' | 'decoder'; readonly layers: number; readonly size: ReturnType<typeof dimensions> }

/** Only the first layer of a stack owns the table of relative positions; the others reuse its result. */
function t5Stack(config: FieldReader, { name, layers, size }: T5Stack): readonly Group[] {
  const { width, heads, headWidth } = size
  const inner = config.count('d_ff')
  const gated = config.text('feed_forward_proj').startsWith('gated')
  const buckets = config.count('relative_attention_num_buckets', 32)
  const mixer = (mixerName: string, mask: Mask, relativeBuckets: number): Attention =>
    attention({ name: mixerName, width, heads, headWidth, mask, rotary: false, relativeBuckets })
  const block = (relative: number): readonly Layer[] => [
    rmsNorm('input_norm', width),
    mixer('attention', name === 'encoder' ? BIDIRECTIONAL : CAUSAL, relative),
    ...(name === 'encoder' ? [] : [rmsNorm('cross_norm', width), mixer('cross_attention', { kind: 'cross' }, 0)]),
    rmsNorm('mlp_norm', width),
    gated ? gatedMlp({ width, inner }) : plainMlp({ width, inner, bias: false }),
  ]
  const positions = name === 'encoder' ? 'source' : 'text'
  const groups: readonly Group[] = [
    { name: `${name} first`, stack: name, count: 1, positions, layers: block(buckets) },
    { name, stack: name, count: layers - 1, positions, layers: block(0) },
    { name: `${name} final norm`, stack: name, count: 1, positions, layers: [rmsNorm('final_norm', width)] },
  ]
  return groups.filter((group) => group.count > 0)
}

export const vit: Importer = (config, modelType): Architecture => {
  const { width, heads, layers } = dimensions(config.withDefaults({ vocab_size: 1 }))
  const patch = config.count('patch_size', 16)
  const image = config.count('image_size', 224)
  if (image % patch !== 0) config.refuse('patch_size', `patches of ${patch} do not tile an image of ${image}`)
  const positions = (image / patch) ** 2 + 1
  const mixer = { ...classicAttention({ width, heads, mask: BIDIRECTIONAL }), bias: { qkv: config.flag('qkv_bias', true), output: true } }
  const labels = config.labels()
  if (labels === 0) config.warn('neither num_labels nor id2label is given: counted without a classifier')
  const one = { count: 1, positions } as const
  const input: readonly Layer[] = [
    projection('patches', { inputs: config.count('num_channels', 3) * patch ** 2, outputs: width, bias: true }),
    { kind: 'constant', name: 'class_token', shape: [width] },
    { kind: 'embedding', name: 'positions', rows: positions, width, of: 'position' },
  ]
  const head: Layer = { kind: 'linear', name: 'classifier', inputs: width, outputs: labels, bias: true, tied: false, role: 'head' }
  return {
    modelType,
    width,
    vocabulary: 0,
    tied: false,
    groups: [
      { ...one, name: 'input', stack: 'input', layers: input },
      {
        name: 'layer',
        stack: 'encoder',
        count: layers,
        positions,
        layers: preNormBlock(
          (name) => layerNorm(name, width),
          mixer,
          plainMlp({ width, inner: config.count('intermediate_size', 4 * width) }),
        ),
      },
      { ...one, name: 'final norm', stack: 'output', layers: [layerNorm('final_norm', width)] },
      ...(labels === 0 ? [] : [{ name: 'head', stack: 'output', count: 1, positions: 1, layers: [head] } as const]),
    ],
    layout: Array.from({ length: layers }, () => 1),
  }
}
