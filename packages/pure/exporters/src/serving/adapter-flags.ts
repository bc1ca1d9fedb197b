// Low-rank adapters and keys kept outside the device, as each engine is told of them: vLLM's docs/features/lora.md and its cache options,
// SGLang's docs.sglang.io, LoRA serving and hierarchical cache, TensorRT-LLM's lora_config and kv_cache_config.

import type { ServingPlan, ServingPool } from '@ironlaw/contracts'

/** vLLM knows these ranks only. */
const VLLM_RANKS = [8, 16, 32, 64, 128, 256, 320, 512]

const GIB = 2 ** 30

export function vllmAdapters({ adapters }: ServingPlan): readonly string[] {
  if (!adapters) return []
  const { count, rank, activePerBatch } = adapters
  return [
    '--enable-lora',
    `--max-loras ${Math.min(count, activePerBatch)}`,
    `--max-cpu-loras ${count}`,
    `--max-lora-rank ${VLLM_RANKS.find((known) => known >= rank) ?? rank}`,
  ]
}

const MODULES = { attention: ['q_proj', 'k_proj', 'v_proj', 'o_proj'], mlp: ['gate_proj', 'up_proj', 'down_proj'] } as const

export function sglangAdapters({ adapters }: ServingPlan): readonly string[] {
  if (!adapters) return []
  const { count, rank, activePerBatch, targets } = adapters
  return [
    '--enable-lora',
    `--max-loras-per-batch ${Math.min(count, activePerBatch)}`,
    `--max-loaded-loras ${count}`,
    `--max-lora-rank ${rank}`,
    `--lora-target-modules ${targets.flatMap((target) => MODULES[target]).join(' ')}`,
  ]
}

const TENSORRT_MODULES = {
  attention: ['attn_q', 'attn_k', 'attn_v', 'attn_dense'],
  mlp: ['mlp_h_to_4h', 'mlp_gate', 'mlp_4h_to_h'],
} as const

/** A line of the options of the LLM API. */
export function tensorrtAdapters({ adapters }: ServingPlan): readonly string[] {
  if (!adapters) return []
  const { count, rank, activePerBatch, targets } = adapters
  const modules = targets.flatMap((target) => TENSORRT_MODULES[target]).join(', ')
  return [
    `lora_config: { max_lora_rank: ${rank}, max_loras: ${Math.min(count, activePerBatch)}, max_cpu_loras: ${count}, lora_target_modules: [${modules}] }`,
  ]
}

/** In GiB of all ranks of one copy of the attention: every copy takes as much for itself. */
export const vllmOffload = ({ offload }: ServingPlan, { layout: { tensor, pipeline } }: ServingPool): readonly string[] =>
  offload ? [`--kv-offloading-size ${Math.floor((offload.host_bytes * tensor * pipeline) / GIB)}`, '--kv-offloading-backend native'] : []

/** In GB of each rank. */
export const sglangOffload = ({ offload }: ServingPlan): readonly string[] =>
  offload
    ? [
        '--enable-hierarchical-cache',
        `--hicache-size ${Math.floor(offload.host_bytes / 1e9)}`,
        ...(offload.drive_bytes > 0 ? ['--hicache-storage-backend file'] : []),
      ]
    : []

/** Bytes of each rank. */
export const tensorrtOffload = ({ offload }: ServingPlan): string => (offload ? `, host_cache_size: ${Math.floor(offload.host_bytes)}` : '')

/** A drive that the engine has no flag for. */
export const driveWarnings = ({ offload }: ServingPlan, engine: string): readonly string[] =>
  offload && offload.drive_bytes > 0 ? [`${engine} keeps no keys on a drive by itself: that needs a connector such as LMCache`] : []
