// A model_type without an importer is read like the family whose fields it has, and what was assumed is said.

import type { FieldReader } from '../field-reader.ts'
import { deepseek, glm4Moe } from './deepseek.ts'
import type { Importer } from './importer.ts'
import { llamaLike } from './llama.ts'

/** In order: the first field present decides. */
const RESEMBLANCE: readonly (readonly [field: string, modelType: string, importer: Importer])[] = [
  ['kv_lora_rank', 'deepseek_v3', deepseek],
  ['n_routed_experts', 'glm4_moe', glm4Moe],
  ['num_local_experts', 'mixtral', llamaLike],
  ['num_experts', 'qwen3_moe', llamaLike],
]

export const unknownFamily: Importer = (config, modelType) => {
  const [field, likeness, importer] = RESEMBLANCE.find(([each]) => config.has(each)) ?? ['', 'llama', llamaLike]
  // Reading a mixture of experts as a dense model would be wrong by a factor, which no warning makes good.
  const stray = field === 'kv_lora_rank' && !config.has('n_routed_experts') ? EXPERT_FIELDS.find((each) => config.has(each)) : undefined
  if (stray !== undefined)
    config.refuse(stray, `model_type "${modelType}" is unknown, and latent attention with experts under this name too`)
  config.warn(`model_type "${modelType}" is unknown and was read like "${likeness}"; assumed: ${assumptions(config).join('; ')}`)
  for (const field of UNUSED_FIELDS) if (config.has(field)) config.warn(`"${field}" is set but was not used`)
  return { ...importer(config, likeness), modelType }
}

const assumptions = (config: FieldReader): string[] =>
  [
    'causal attention with rotary positions',
    'RMSNorm without bias before attention and MLP',
    config.has('num_key_value_heads') ? undefined : 'as many key-value heads as attention heads',
    config.has('head_dim') || config.has('kv_lora_rank') ? undefined : 'head_dim = hidden_size / num_attention_heads',
    config.has('tie_word_embeddings') ? undefined : 'untied token table and output projection',
    config.has('attention_bias') ? undefined : 'no attention biases',
    'gated SiLU MLP',
  ].filter((text) => text !== undefined)

const EXPERT_FIELDS = ['num_local_experts', 'num_experts'] as const

const UNUSED_FIELDS = [
  'layer_types',
  'sliding_window',
  'ssm_state_size',
  'mamba_d_state',
  'qk_layernorm',
  'index_topk',
  'linear_num_value_heads',
  'num_mtp_modules',
  'shared_intermediate_size',
  'vision_config',
]
