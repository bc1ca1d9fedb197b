// Axolotl: the YAML of `axolotl train`, for adapters and for full fine-tuning. Names follow src/axolotl/utils/schemas at
// axolotl-ai-cloud/axolotl 067b021 (2026-07-24). It has data, context and, through DeepSpeed, tensor parallelism; no pipelines.

import type { TrainingPlan } from '@ironlaw/contracts'
import { caveatLines, commentLines, type ExportedPlan, headLines, warningIf } from './exported.ts'
import { deviceProblems, runtimeWarnings } from './fitness.ts'
import { contradictions, microbatchesOf, replicasOf, stepsOf } from './plan-numbers.ts'

type Value = string | number | boolean | readonly string[] | Fields
type Fields = { readonly [name: string]: Value }

export function axolotl(plan: TrainingPlan): ExportedPlan {
  const { decision, sequence, model } = plan
  const warnings = [...runtimeWarnings(plan, 'axolotl'), ...unsupportedSettings(plan)]
  const impossible = [...contradictions(plan), ...deviceProblems(plan, 'axolotl'), ...refusedDecisions(plan)]
  const fields: Fields = {
    base_model: model.name,
    ...adapter(plan),
    sequence_len: sequence,
    ...method(plan),
    gradient_accumulation_steps: microbatchesOf(plan),
    max_steps: stepsOf(plan),
    ...numbers(plan),
    optimizer: OPTIMIZERS[plan.optimizer ?? 'adam'],
    gradient_checkpointing: decision.recompute === 'full',
    ...parallelism(plan),
  }
  const head = commentLines([
    ...headLines(plan),
    'The plan decides neither data, learning rate nor lora_alpha: add them.',
    ...caveatLines({ warnings, impossible }),
  ])
  return { text: `${[...head, ...yaml(fields, '')].join('\n')}\n`, warnings, impossible }
}

const OPTIMIZERS = { adam: 'adamw_torch_fused', 'adam-8bit': 'adamw_bnb_8bit', muon: 'muon' } as const

const yaml = (fields: Fields, indent: string): readonly string[] =>
  Object.entries(fields).flatMap(([key, value]) => {
    if (typeof value !== 'object') return [`${indent}${key}: ${JSON.stringify(value)}`]
    if (isList(value)) return [`${indent}${key}:`, ...value.map((each) => `${indent}  - ${JSON.stringify(each)}`)]
    return [`${indent}${key}:`, ...yaml(value, `${indent}  `)]
  })

const isList = (value: Value): value is readonly string[] => Array.isArray(value)

/** Names of the linear layers of attention in Hugging Face's implementations. */
const ATTENTION: readonly (readonly [modelTypes: RegExp, names: readonly string[]])[] = [
  [/^(?:llama|mistral|mixtral|qwen2|qwen2_moe|qwen3|qwen3_moe|gemma\w*|gpt_oss|olmo\w*)$/, ['q_proj', 'k_proj', 'v_proj', 'o_proj']],
  [/^deepseek_v[23]$|^kimi_k2$/, ['q_a_proj', 'q_b_proj', 'kv_a_proj_with_mqa', 'kv_b_proj', 'o_proj']],
]

const attentionNames = ({ model: { modelType } }: TrainingPlan): readonly string[] | undefined =>
  ATTENTION.find(([types]) => types.test(modelType))?.[1]

/** BF16 and FlashAttention-2 need Ampere. */
const BEFORE_AMPERE = /^(?:t4|v100|p100)(?:-|$)/

function numbers({ decision: { precision }, fleet }: TrainingPlan): Fields {
  const old = BEFORE_AMPERE.test(fleet.accelerator)
  const half = precision === 'fp16-mixed' || (old && precision !== 'fp32')
  return {
    bf16: !half && precision !== 'fp32',
    ...(half && { fp16: true }),
    attn_implementation: old ? 'sdpa' : 'flash_attention_2',
  }
}

/** A microbatch of DPO is counted in pairs. */
const method = ({ method: name, packed, decision: { microbatch } }: TrainingPlan): Fields => ({
  ...(name === 'dpo' && { rl: 'dpo' }),
  ...(packed !== undefined && { sample_packing: packed, pad_to_sequence_len: true }),
  micro_batch_size: name === 'dpo' ? microbatch / 2 : microbatch,
})

function adapter(plan: TrainingPlan): Fields {
  const { lora, decision } = plan
  if (!lora) return {}
  const names = attentionNames(plan) ?? []
  return {
    adapter: decision.precision === 'qlora' ? 'qlora' : 'lora',
    ...(decision.precision === 'qlora' && { load_in_4bit: true }),
    lora_r: lora.rank,
    lora_dropout: 0,
    ...(lora.targets === 'all-linear' ? { lora_target_linear: true } : { lora_target_modules: names }),
  }
}

function parallelism({ decision }: TrainingPlan): Fields {
  const { tensor, context, data, shards, optimizerOn } = decision
  const replicas = replicasOf(decision)
  return {
    ...(tensor > 1 && { tensor_parallel_size: tensor }),
    ...(context > 1 && { context_parallel_size: context }),
    ...(shards === 'optimizer' && { deepspeed: 'deepspeed_configs/zero1.json' }),
    ...(shards === 'gradients' && { deepspeed: 'deepspeed_configs/zero2.json' }),
    ...(shards === 'weights' && {
      ...(replicas > 1 && { dp_replicate_size: replicas }),
      dp_shard_size: data / replicas,
      fsdp_version: 2,
      fsdp_config: {
        auto_wrap_policy: 'TRANSFORMER_BASED_WRAP',
        reshard_after_forward: true,
        offload_params: optimizerOn !== 'device',
        state_dict_type: 'FULL_STATE_DICT',
      },
    }),
  }
}

const PRECISIONS: ReadonlySet<string> = new Set([
  'fp32',
  'bf16-mixed',
  'fp16-mixed',
  'bf16-gradients',
  'fsdp-mixed',
  'bf16-pure',
  'lora',
  'qlora',
])

function unsupportedSettings({ decision, lora, model: { experts = 1 } }: TrainingPlan): readonly string[] {
  const { context, contextBy, recompute, optimizerOn, shards, precision } = decision
  return [
    ...warningIf(recompute === 'selective', 'selective recomputation: written as none; Axolotl recomputes whole layers or nothing'),
    ...warningIf(
      context > 1 && contextBy === 'all-to-all',
      'Axolotl passes keys and values around a ring; it has no all-to-all over heads',
    ),
    ...warningIf(optimizerOn !== 'device' && shards === 'weights', 'optimizer on the host: FSDP moves weights and gradients there too'),
    ...warningIf(
      optimizerOn !== 'device' && shards !== 'weights',
      'optimizer on the host: add offload_optimizer to the DeepSpeed file that is named here',
    ),
    ...warningIf(
      lora?.targets === 'all-linear' && experts > 1,
      'adapters on all linear layers: Axolotl adapts routed experts too, where they are linear layers',
    ),
    ...warningIf(!PRECISIONS.has(precision), `precision ${precision}: not written; Axolotl trains in BF16`),
  ]
}

function refusedDecisions(plan: TrainingPlan): readonly string[] {
  const { decision, lora } = plan
  const { tensor, pipeline, expert, shards, precision, microbatch } = decision
  return [
    ...warningIf(pipeline > 1, `Axolotl has no pipelines: set strategy.pipeline: 1 instead of ${pipeline}`),
    ...warningIf(expert > 1, `Axolotl is not told here how to divide experts: set strategy.expert: 1 instead of ${expert}`),
    ...warningIf(
      tensor > 1 && shards !== 'optimizer',
      'Axolotl divides tensors through DeepSpeed alone: set strategy.tensor: 1, or strategy.shards: optimizer',
    ),
    ...warningIf(
      plan.method === 'dpo' && microbatch % 2 !== 0,
      `Axolotl takes both answers of a pair in one pass: set strategy.microbatch to an even number instead of ${microbatch}`,
    ),
    // `check_sample_packing_w_rl` raises.
    ...warningIf(plan.method === 'dpo' && plan.packed === true, 'Axolotl does not pack documents for DPO: set documents.packed: false'),
    ...warningIf(
      (precision === 'lora' || precision === 'qlora') && lora === undefined,
      `precision ${precision}: the plan does not say which adapters it trains; plan again`,
    ),
    ...warningIf(
      lora?.targets === 'attention' && attentionNames(plan) === undefined,
      `the names of the attention layers of ${plan.model.modelType} are not known here: set lora.targets: all-linear`,
    ),
  ]
}
