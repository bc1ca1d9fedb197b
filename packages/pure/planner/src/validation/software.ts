// What the names of software in the facts mean to the planner: which of its runtimes prices them, how they keep states, whether their
// loss is fused and whether their recipes drop activations.

import type { RuntimeName } from '../training/runtimes.ts'
import type { UsableRow } from './row.ts'

export type Software = {
  readonly runtime: RuntimeName
  readonly states: 'megatron' | 'fsdp' | 'deepspeed'
  readonly loss: 'fused' | 'unfused'
  readonly dropout: boolean
}

const MEGATRON_2022: Software = { runtime: 'megatron-2022', states: 'megatron', loss: 'unfused', dropout: true }
const MEGATRON_CORE: Software = { runtime: 'megatron-core', states: 'megatron', loss: 'fused', dropout: false }
const MLPERF: Software = { ...MEGATRON_CORE, runtime: 'mlperf' }
const FSDP_EAGER: Software = { runtime: 'fsdp-eager', states: 'fsdp', loss: 'unfused', dropout: false }
const FSDP_COMPILED: Software = { runtime: 'fsdp-compiled', states: 'fsdp', loss: 'fused', dropout: false }

const SOFTWARE: Readonly<Record<string, Software>> = {
  'megatron-2021': MEGATRON_2022,
  'megatron-2022': MEGATRON_2022,
  'megatron-2023': MEGATRON_2022,
  'aleph-alpha': { ...MEGATRON_2022, dropout: false },
  'megatron-core': MEGATRON_CORE,
  'megatron-bridge': MEGATRON_CORE,
  nemo: MEGATRON_CORE,
  megascale: MEGATRON_CORE,
  'hai-llm': MEGATRON_CORE,
  // Meta's own PyTorch stack, of which torchtitan is the public branch.
  'llama-meta': { ...FSDP_COMPILED, states: 'megatron', loss: 'unfused' },
  nanotron: { ...MEGATRON_CORE, loss: 'unfused' },
  'mlperf-nvidia': MLPERF,
  'mlperf-amd': MLPERF,
  'megatron-deepspeed': { runtime: 'megatron-deepspeed-bf16', states: 'deepspeed', loss: 'unfused', dropout: true },
  'torchtitan-eager': FSDP_EAGER,
  'llm-foundry': { ...FSDP_EAGER, loss: 'fused' },
  sagemaker: { ...FSDP_EAGER, states: 'deepspeed' },
  'torchtitan-compile': FSDP_COMPILED,
  fms: { ...FSDP_COMPILED, loss: 'unfused' },
  pax: FSDP_COMPILED,
  palm: FSDP_COMPILED,
  maxtext: FSDP_COMPILED,
}

export function softwareOf({ id, runtime, settings }: UsableRow): Software {
  const software = SOFTWARE[runtime]
  if (!software) throw new Error(`${id}: nothing known of the software ${runtime}`)
  return settings?.includes('all-overlap-off') ? { ...software, runtime: 'megatron-core-plain' } : software
}
