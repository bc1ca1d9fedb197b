// What the names of software in the facts mean to the planner: which of its runtimes prices them, how they keep states, whether their
// loss is fused and whether their recipes drop activations.

import type { RuntimeName } from '../training/time/runtimes.ts'
import type { UsableRow } from './row.ts'

export type Software = {
  readonly runtime: RuntimeName
  readonly states: 'megatron' | 'fsdp' | 'deepspeed'
  readonly loss: 'fused' | 'unfused'
  readonly dropout: boolean
  /** No calibration row ran it: it is priced as what it is most like. */
  readonly borrowed?: true
  /** Bytes per gradient, where they are not kept in FP32. */
  readonly gradient?: 2
  /** Bytes per gradient on the wire, where they are not sent as they are kept. */
  readonly reduced?: number
}

const MEGATRON_2022: Software = { runtime: 'megatron-2022', states: 'megatron', loss: 'unfused', dropout: true }
const MEGATRON_CORE: Software = { runtime: 'megatron-core', states: 'megatron', loss: 'fused', dropout: false }
/** `grad_sync_dtype: bf16` with a contiguous buffer (conf/optim of the GPT-3 submission, mlcommons/training_results_v4.0). */
const MLPERF: Software = { ...MEGATRON_CORE, runtime: 'mlperf', gradient: 2 }
const FSDP_EAGER: Software = { runtime: 'fsdp-eager', states: 'fsdp', loss: 'unfused', dropout: false }
const FSDP_COMPILED: Software = { ...FSDP_EAGER, runtime: 'fsdp-compiled', loss: 'fused' }

const SOFTWARE: Readonly<Record<string, Software>> = {
  'megatron-2021': MEGATRON_2022,
  'megatron-2022': MEGATRON_2022,
  'megatron-2023': MEGATRON_2022,
  // Every rank has all gradients, in the precision of the weights (core/optimizer/parameter_group.py of Aleph-Alpha/scaling).
  'aleph-alpha': { ...MEGATRON_2022, states: 'deepspeed', dropout: false, gradient: 2 },
  'megatron-core': MEGATRON_CORE,
  // `grad_reduce_in_fp32 = False` in every performance recipe, releases 0.1 to 0.5 (scripts/performance/configs).
  'megatron-bridge': { ...MEGATRON_CORE, gradient: 2 },
  // `optim.grad_sync_dtype=bf16` in the commands of the performance pages.
  nemo: { ...MEGATRON_CORE, gradient: 2 },
  megascale: { ...MEGATRON_CORE, borrowed: true },
  'hai-llm': { ...MEGATRON_CORE, borrowed: true },
  // Meta's own PyTorch stack, of which torchtitan is the public branch.
  'llama-meta': { ...FSDP_COMPILED, states: 'megatron', loss: 'unfused', borrowed: true },
  nanotron: { ...MEGATRON_CORE, loss: 'unfused', borrowed: true },
  'mlperf-nvidia': MLPERF,
  'mlperf-amd': { ...MLPERF, borrowed: true },
  'megatron-deepspeed': { runtime: 'megatron-deepspeed-bf16', states: 'deepspeed', loss: 'unfused', dropout: true },
  'torchtitan-eager': FSDP_EAGER,
  'llm-foundry': { ...FSDP_EAGER, loss: 'fused' },
  sagemaker: { ...FSDP_EAGER, states: 'deepspeed', borrowed: true },
  'torchtitan-compile': FSDP_COMPILED,
  // `bfSixteen` of fms_fsdp/policies/mixed_precision.py at 5a296af: gradients are reduced in 16 bits.
  fms: { ...FSDP_COMPILED, loss: 'unfused', reduced: 2, borrowed: true },
  pax: { ...FSDP_COMPILED, borrowed: true },
  palm: { ...FSDP_COMPILED, borrowed: true },
  maxtext: { ...FSDP_COMPILED, borrowed: true },
}

/** torchtitan compiled its loss only from 2025 on: in train.py at 2a44370 (2025-01) that is commented out, "causes CUDA errors". */
const isEagerLoss = (runtime: string, year: number): boolean => runtime === 'torchtitan-compile' && year < 2025

export function softwareOf({ id, runtime, settings, year }: UsableRow): Software {
  const software = isEagerLoss(runtime, year) ? { ...FSDP_COMPILED, loss: 'unfused' as const } : SOFTWARE[runtime]
  if (!software) throw new Error(`${id}: nothing known of the software ${runtime}`)
  if (settings?.includes('full-iteration-graphs')) return { ...software, runtime: 'megatron-core-graphs' }
  return settings?.includes('all-overlap-off') ? { ...software, runtime: 'megatron-core-plain' } : software
}
