// A config.json from the Hugging Face hub, and what is computed of the model it describes.

import { cacheOf, importConfig, MODEL_TYPES, parameterCounts } from '@ironlaw/models'
import { jsonIn } from '../schema-states.ts'
import type { Target } from '../target.ts'

const dimensions = {
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  vocab_size: 256,
  n_routed_experts: 4,
  num_experts: 4,
  num_experts_per_tok: 2,
  moe_intermediate_size: 32,
  kv_lora_rank: 16,
  qk_nope_head_dim: 16,
  qk_rope_head_dim: 8,
  v_head_dim: 16,
}

export const target: Target = {
  grammar: 'json',
  seeds: [
    ...MODEL_TYPES.map((model_type) => JSON.stringify({ model_type, ...dimensions })),
    JSON.stringify({ model_type: 'unheard-of', text_config: { model_type: 'llama', ...dimensions } }),
  ],
  run: (input, mark) => {
    const imported = importConfig(jsonIn(input.toString('utf8')))
    if (!imported.ok) return mark(`${imported.field} ${imported.problem.replaceAll(/\d+|"[^"]*"/g, '_').slice(0, 40)}`.slice(0, 70))
    parameterCounts(imported.architecture)
    cacheOf(imported.architecture, { cache: 2 })
  },
}
