// gpt-oss: alternating window and full attention with learned sinks, and biases on everything including the experts.

import { attention, CAUSAL, mixture, preNormBlock, rmsNorm } from '../blocks.ts'
import { languageModel } from '../language-model.ts'
import { dimensions } from './dimensions.ts'
import { expertCounts } from './expert-counts.ts'
import type { Importer } from './importer.ts'

export const gptOss: Importer = (config, modelType) => {
  const size = dimensions(config)
  const { width, heads, kvHeads, headWidth } = size
  const bias = config.flag('attention_bias', true)
  const types = config.texts('layer_types')
  const window = config.count('sliding_window', 128)
  const moe = mixture({
    width,
    ...expertCounts(config, { experts: 'num_local_experts', active: ['num_experts_per_tok', 'experts_per_token'] }, { active: 4 }),
    inner: config.count('intermediate_size'),
    bias: { experts: true, router: true },
  })
  const mixer = (kind: string) =>
    attention({
      width,
      heads,
      kvHeads,
      headWidth,
      bias: { qkv: bias, output: bias },
      sinks: true,
      mask: kind === 'sliding' ? { kind: 'sliding', window } : CAUSAL,
    })
  return languageModel({
    ...size,
    modelType,
    kindOf: (index) => ((types ? types[index] === 'sliding_attention' : index % 2 === 0) ? 'sliding' : 'causal'),
    block: (kind) => preNormBlock((name) => rmsNorm(name, width), mixer(kind), moe),
    tied: config.flag('tie_word_embeddings', false),
    finalNorm: rmsNorm('final_norm', width),
  })
}
