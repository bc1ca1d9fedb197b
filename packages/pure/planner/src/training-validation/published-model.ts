// The architecture of a published run: one of the built-in models, or the configuration that its source describes.

import { type Architecture, builtInModel, importConfig } from '@ironlaw/models'
import type { PublishedModel, UsableRow } from './row.ts'

export function architectureOf({ id, model, sequence }: UsableRow): Architecture {
  const imported = importConfig(configOf(model, sequence))
  if (!imported.ok) throw new Error(`${id}: ${imported.field}: ${imported.problem}`)
  if (imported.warnings.length > 0) throw new Error(`${id}: ${imported.warnings.join('; ')}`)
  return imported.architecture
}

function configOf(model: PublishedModel, sequence: number): Readonly<Record<string, unknown>> {
  if (model.builtIn !== undefined) return builtInConfig(model.builtIn, model)
  const { layers, hidden, ffn, heads, vocab, tied } = model
  switch (model.family) {
    case 'llama':
    case 'palm':
      return { model_type: 'llama', ...commonConfig(model, sequence) }
    case 'nemotron':
      return { model_type: 'starcoder2', ...commonConfig(model, sequence), use_bias: false }
    case 'gpt':
      return {
        model_type: 'gpt2',
        n_embd: hidden,
        n_layer: layers,
        n_head: heads,
        n_positions: sequence,
        n_inner: ffn,
        vocab_size: vocab,
        tie_word_embeddings: tied,
      }
    case 'bloom':
      return { model_type: 'bloom', hidden_size: hidden, n_layer: layers, n_head: heads, vocab_size: vocab, tie_word_embeddings: tied }
    case 'deepseek-v2':
    case 'deepseek-v3':
      return deepSeekConfig(model, sequence)
    default:
      throw new Error(`no configuration known of the family ${model.family}`)
  }
}

function builtInConfig(name: string, { predictionLayers }: PublishedModel): Readonly<Record<string, unknown>> {
  const known = builtInModel(name)
  if (!known) throw new Error(`no built-in model ${name}`)
  return { ...known.config, ...(predictionLayers !== undefined && { num_nextn_predict_layers: predictionLayers }) }
}

const commonConfig = ({ layers, hidden, ffn, heads, kvHeads, vocab, tied, headWidth }: PublishedModel, sequence: number) => ({
  hidden_size: hidden,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  num_key_value_heads: kvHeads,
  intermediate_size: ffn,
  vocab_size: vocab,
  max_position_embeddings: sequence,
  tie_word_embeddings: tied,
  ...(headWidth !== undefined && { head_dim: headWidth }),
})

const deepSeekConfig = (model: PublishedModel, sequence: number): Readonly<Record<string, unknown>> => ({
  model_type: model.family.replace('-', '_'),
  ...commonConfig(model, sequence),
  q_lora_rank: model.queryRank,
  kv_lora_rank: model.kvRank,
  qk_nope_head_dim: model.nopeWidth,
  qk_rope_head_dim: model.ropeWidth,
  v_head_dim: model.valueWidth,
  n_routed_experts: model.experts,
  num_experts_per_tok: model.topK,
  moe_intermediate_size: model.expertFfn,
  n_shared_experts: model.sharedExperts,
  first_k_dense_replace: model.denseLayers,
  moe_layer_freq: 1,
  num_nextn_predict_layers: model.predictionLayers ?? 0,
  ...(model.family === 'deepseek-v2' && { topk_method: 'group_limited_greedy', scoring_func: 'softmax' }),
})
