// Gemma 3 with images: the text model and a SigLIP tower whose patches are pooled to 256 tokens an image.

import type { Group } from '../architecture.ts'
import { BIDIRECTIONAL, classicAttention, layerNorm, plainMlp, preNormBlock, projection, rmsNorm } from '../blocks.ts'
import type { FieldReader } from '../field-reader.ts'
import type { Importer } from './importer.ts'
import { llamaLike } from './llama.ts'

/** Defaults of the text class, which the published wrapper configs leave out. */
const TEXT_DEFAULTS = {
  vocab_size: 262_208,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  head_dim: 256,
  max_position_embeddings: 131_072,
}

export const gemma3Text: Importer = (config) => llamaLike(config.withDefaults(TEXT_DEFAULTS), 'gemma3_text')

export const gemma3: Importer = (config, modelType) => {
  const model = gemma3Text(config.child('text_config'), 'gemma3_text')
  const tower = config.has('vision_config')
    ? visionTower(config.child('vision_config'), { textWidth: model.width, imageTokens: config.count('mm_tokens_per_image', 256) })
    : []
  return { ...model, modelType, groups: [...model.groups, ...tower] }
}

function visionTower(config: FieldReader, { textWidth, imageTokens }: { textWidth: number; imageTokens: number }): readonly Group[] {
  const width = config.count('hidden_size', 768)
  const heads = config.count('num_attention_heads', 12)
  const patch = config.count('patch_size', 16)
  const positions = (config.count('image_size', 224) / patch) ** 2
  const inner = config.count('intermediate_size', 3072)
  const one = { stack: 'vision', count: 1 } as const
  return [
    {
      ...one,
      name: 'vision input',
      positions,
      layers: [
        projection('patches', { inputs: config.count('num_channels', 3) * patch ** 2, outputs: width, bias: true }),
        { kind: 'embedding', name: 'positions', rows: positions, width, of: 'position' },
      ],
    },
    {
      name: 'vision layer',
      stack: 'vision',
      count: config.count('num_hidden_layers', 12),
      positions,
      layers: preNormBlock(
        (name) => layerNorm(name, width),
        classicAttention({ width, heads, mask: BIDIRECTIONAL }),
        plainMlp({ width, inner }),
      ),
    },
    { ...one, name: 'vision output', positions, layers: [layerNorm('post_norm', width)] },
    {
      ...one,
      name: 'vision adapter',
      positions: imageTokens,
      layers: [rmsNorm('norm', width), projection('to_text', { inputs: width, outputs: textWidth })],
    },
  ]
}
