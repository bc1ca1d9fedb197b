// DeepSeek-V2, V3 and R1, Kimi K2, and GLM-4.5: fine-grained experts and shared ones, a few dense layers first, and a module that
// predicts one token further. DeepSeek and Kimi have latent attention, GLM grouped queries.

import type { Attention, Group, LatentAttention, Layer } from '../architecture.ts'
import { attention, CAUSAL, gatedMlp, mixture, preNormBlock, projection, rmsNorm } from '../blocks.ts'
import type { FieldReader } from '../field-reader.ts'
import { languageModel } from '../language-model.ts'
import { type Dimensions, dimensions } from './dimensions.ts'
import { expertCounts } from './expert-counts.ts'
import type { Importer } from './importer.ts'

export const deepseek: Importer = (config, modelType) => {
  // The per-head width is the sum of two fields of its own, so hidden_size need not divide by the heads.
  const size = dimensions(config.with({ head_dim: 1 }))
  const correction = config.text('topk_method', 'noaux_tc') === 'noaux_tc' && config.text('scoring_func', 'sigmoid') === 'sigmoid'
  return fineGrainedModel(config, modelType, { size, mixer: latentAttention(config, size), correction })
}

export const glm4Moe: Importer = (config, modelType) => {
  const size = dimensions(config)
  const { width, heads, kvHeads, headWidth } = size
  const bias = { qkv: config.flag('attention_bias', false), output: false }
  const qkNorm = config.flag('use_qk_norm', false) ? 'head' : 'none'
  return fineGrainedModel(config, modelType, {
    size,
    mixer: attention({ width, heads, kvHeads, headWidth, bias, qkNorm }),
    correction: true,
  })
}

type FineGrainedInputs = { readonly size: Dimensions; readonly mixer: LatentAttention | Attention; readonly correction: boolean }

function fineGrainedModel(config: FieldReader, modelType: string, { size, mixer, correction }: FineGrainedInputs) {
  const { width } = size
  const norm = (name: string) => rmsNorm(name, width)
  const hasExperts = config.has('n_routed_experts')
  const firstSparse = config.size('first_k_dense_replace', 0)
  const every = config.count('moe_layer_freq', 1)
  const block = (kind: string): readonly Layer[] =>
    preNormBlock(
      norm,
      mixer,
      kind === 'sparse' ? experts(config, { width, correction }) : gatedMlp({ width, inner: config.count('intermediate_size') }),
    )
  return languageModel({
    ...size,
    modelType,
    kindOf: (index) => (hasExperts && index >= firstSparse && index % every === 0 ? 'sparse' : 'dense'),
    block,
    tied: config.flag('tie_word_embeddings', false),
    finalNorm: norm('final_norm'),
    others: predictionModule(config, { width, block: hasExperts ? block('sparse') : [] }),
  })
}

function latentAttention(config: FieldReader, { width, heads }: { width: number; heads: number }): LatentAttention {
  return {
    kind: 'latent-attention',
    name: 'attention',
    width,
    heads,
    ...(config.has('q_lora_rank') && { queryRank: config.count('q_lora_rank') }),
    kvRank: config.count('kv_lora_rank'),
    nopeWidth: config.count('qk_nope_head_dim'),
    ropeWidth: config.count('qk_rope_head_dim'),
    valueWidth: config.count('v_head_dim'),
    mask: CAUSAL,
    bias: config.flag('attention_bias', false),
  }
}

function experts(config: FieldReader, { width, correction }: { width: number; correction: boolean }): Layer {
  const inner = config.count('moe_intermediate_size')
  const counts = expertCounts(config, { experts: 'n_routed_experts', active: 'num_experts_per_tok' })
  const groups = config.count('n_group', 1)
  const visited = config.count('topk_group', groups)
  return mixture({
    width,
    ...counts,
    inner,
    correction,
    sharedInner: inner * config.size('n_shared_experts', 0),
    ...(visited < groups && { groupLimit: { groups, visited } }),
  })
}

/** Predicts the token after next in training, or drafts it in serving. It uses the model's own token table and head. */
function predictionModule(config: FieldReader, { width, block }: { width: number; block: readonly Layer[] }): readonly Group[] {
  const count = config.size('num_nextn_predict_layers', 0)
  if (count === 0 || block.length === 0) return []
  const merge = projection('merge', { inputs: 2 * width, outputs: width })
  const norms = ['token_norm', 'hidden_norm'].map((name) => rmsNorm(name, width))
  return [
    { name: 'prediction', stack: 'prediction', count, positions: 'text', layers: [...norms, merge, ...block, rmsNorm('head_norm', width)] },
  ]
}
