// The model as arguments of Megatron-LM. A plan carries widths and counts; the family decides norms, biases and what its attention adds.
// A family that the arguments cannot rebuild is refused: a plain Llama of the same size is another model with other costs.

import type { TrainingPlan } from '@ironlaw/contracts'
import { warningIf } from './exported.ts'
import { flagsIf, type Flags, type FlagGroup } from './megatron-flags.ts'

const NO_DROPOUT: Flags = [
  ['--attention-dropout', 0],
  ['--hidden-dropout', 0],
]
const LLAMA: Flags = [['--normalization', 'RMSNorm'], ['--position-embedding-type', 'rope'], ['--disable-bias-linear'], ...NO_DROPOUT]

/** What a plan does not carry and the family decides, by Hugging Face's model type. */
const FAMILIES: Readonly<Record<string, Flags>> = {
  llama: LLAMA,
  mistral: LLAMA,
  mixtral: LLAMA,
  qwen2: [...LLAMA, ['--add-qkv-bias']],
  qwen3: [...LLAMA, ['--qk-layernorm']],
  qwen3_moe: [...LLAMA, ['--qk-layernorm']],
  gpt2: [
    ['--normalization', 'LayerNorm'],
    ['--position-embedding-type', 'learned_absolute'],
  ],
}

/** What a plan would have to carry, or Megatron-LM to have as arguments, for other families. */
const MISSING: Readonly<Record<string, string>> = {
  deepseek_v2: 'latent attention, shared experts and leading dense layers',
  deepseek_v3: 'latent attention, shared experts, leading dense layers and layers for further tokens',
  kimi_k2: 'latent attention, shared experts and leading dense layers',
  gpt_oss: 'attention sinks, alternating windows and biased experts',
  gemma: 'scaled embeddings and GeGLU',
  gemma2: 'soft-capped logits, alternating windows and GeGLU',
  gemma3: 'alternating windows and GeGLU',
  gemma3_text: 'alternating windows and GeGLU',
  glm4_moe: 'shared experts and leading dense layers',
  llama4: 'chunked attention and shared experts',
  qwen2_moe: 'shared experts',
}

export function modelFlags({ model: shape, sequence }: TrainingPlan): FlagGroup {
  const family = Object.hasOwn(FAMILIES, shape.modelType) ? FAMILIES[shape.modelType] : undefined
  const missing = Object.hasOwn(MISSING, shape.modelType) ? MISSING[shape.modelType] : undefined
  const experts = shape.experts ?? 1
  const tied = shape.tied ?? shape.modelType === 'gpt2'
  const headWidth = shape.headWidth ?? shape.width / shape.heads
  return {
    flags: [
      ['--num-layers', shape.layers],
      ['--hidden-size', shape.width],
      ['--ffn-hidden-size', shape.inner],
      ['--num-attention-heads', shape.heads],
      ...flagsIf(shape.kvHeads < shape.heads, ['--group-query-attention'], ['--num-query-groups', shape.kvHeads]),
      ['--max-position-embeddings', sequence],
      ['--vocab-size', shape.vocabulary],
      ...flagsIf(shape.gated, ['--swiglu']),
      ...(family ?? LLAMA),
      ...flagsIf(!tied, ['--untie-embeddings-and-output-weights']),
      ...flagsIf(headWidth !== shape.width / shape.heads, ['--kv-channels', headWidth]),
      ...flagsIf(
        experts > 1,
        ['--num-experts', experts],
        ['--moe-router-topk', shape.activeExperts ?? 1],
        ['--moe-ffn-hidden-size', shape.inner],
        ['--moe-grouped-gemm'],
      ),
    ],
    impossible: warningIf(
      family === undefined,
      `model type "${shape.modelType}": these arguments would train a plain Llama of its size${missing === undefined ? '' : `, without ${missing}`}; use Megatron-Bridge's recipe of the model, or run.framework: sdk with a program of your own`,
    ),
  }
}
