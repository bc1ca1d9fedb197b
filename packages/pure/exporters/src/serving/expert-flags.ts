// Flags of expert parallelism beyond one node: the exchange that was priced, and the balancing of experts without which the fullest rank has
// 2.5 times the mean (TensorRT-LLM, "Scaling Expert Parallelism, part 1"). vLLM's as its docs/serving/expert_parallel_deployment.md has them,
// SGLang's as docs.sglang.io, expert parallelism.

import type { ServingPool } from '@ironlaw/contracts'

/** Ranks of one node: within it engines' own defaults were measured. */
const NODE_RANKS = 8

export const hasWideExperts = ({ layout, experts }: ServingPool): boolean => experts !== undefined && layout.expert > NODE_RANKS

/** Kernels of DeepEP for few tokens take no prompts. */
export function vllmExpertFlags(pool: ServingPool): readonly string[] {
  const { experts, role } = pool
  if (!hasWideExperts(pool) || !experts) return []
  const dealt = role === 'decode' ? 'deepep_low_latency' : 'deepep_high_throughput'
  return [
    `--all2all-backend ${experts.exchange === 'gather' ? 'allgather_reducescatter' : dealt}`,
    '--enable-eplb',
    `--eplb-config '{"num_redundant_experts":${experts.redundant}}'`,
  ]
}

export function sglangExpertFlags(pool: ServingPool): readonly string[] {
  const { experts, role } = pool
  if (!hasWideExperts(pool) || !experts) return []
  const mode = { prefill: 'normal', decode: 'low_latency', all: 'auto' }[role]
  return [
    ...(experts.exchange === 'gather' ? [] : ['--moe-a2a-backend deepep', `--deepep-mode ${mode}`]),
    '--enable-eplb',
    `--ep-num-redundant-experts ${experts.redundant}`,
  ]
}
