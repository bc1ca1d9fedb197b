// Three plans whose exports are kept as golden files. The predictions are round numbers: only their formatting is under test.

import { planId, type TrainingDecision, type TrainingPlan, UNDIVIDED } from '@ironlaw/contracts'

const DECISION: TrainingDecision = { ...UNDIVIDED, precision: 'bf16-mixed' }

type PlanInputs = Pick<TrainingPlan, 'name' | 'model' | 'tokens' | 'sequence' | 'globalBatch'> & {
  readonly devices: number
  readonly decision: Partial<TrainingDecision>
}

/** A whole plan around what matters of it; `named` again after every change. */
export function planFrom({ devices, decision, ...rest }: PlanInputs): TrainingPlan {
  const plan: Omit<TrainingPlan, 'id'> = {
    apiVersion: 'ironlaw/v1',
    kind: 'TrainingPlan',
    ...rest,
    fleet: { accelerator: 'h100-sxm', devices, perNode: 8 },
    decision: { ...DECISION, ...decision },
    prediction: {
      step_s: 4.5,
      step_low_s: 4.2,
      step_high_s: 4.9,
      tokens_per_s_per_device: 400,
      mfu: 0.41,
      hfu: 0.41,
      memory_bytes: 65e9,
      memory_limit_bytes: 80e9,
      duration_s: 54 * 86_400,
      causes_s: { products: 3.9, bubble: 0.6 },
    },
  }
  return { ...plan, id: planId(plan) }
}

export const LLAMA_8B: PlanInputs = {
  name: 'Llama 3.1 8B',
  model: {
    name: 'meta-llama/Llama-3.1-8B',
    layers: 32,
    width: 4096,
    heads: 32,
    kvHeads: 8,
    inner: 14_336,
    vocabulary: 128_256,
    gated: true,
    modelType: 'llama',
  },
  tokens: 1e11,
  sequence: 8192,
  globalBatch: 128,
  devices: 8,
  decision: { data: 8, shards: 'weights', microbatch: 2, recompute: 'selective', precision: 'fsdp-mixed' },
}

const LLAMA_405B: PlanInputs = {
  name: 'Llama 3.1 405B',
  model: { ...LLAMA_8B.model, name: 'meta-llama/Llama-3.1-405B', layers: 126, width: 16_384, heads: 128, inner: 53_248 },
  tokens: 15.6e12,
  sequence: 8192,
  globalBatch: 2048,
  devices: 16_384,
  decision: { tensor: 8, sequenceParallel: true, pipeline: 16, virtual: 4, schedule: 'interleaved', data: 128, shards: 'optimizer' },
}

const MIXTRAL: PlanInputs = {
  name: 'Mixtral 8x7B',
  model: {
    ...LLAMA_8B.model,
    name: 'mistralai/Mixtral-8x7B-v0.1',
    vocabulary: 32_000,
    experts: 8,
    activeExperts: 2,
    modelType: 'mixtral',
  },
  tokens: 1e12,
  sequence: 4096,
  globalBatch: 1024,
  devices: 64,
  decision: { expert: 8, pipeline: 2, data: 32, shards: 'optimizer', recompute: 'full' },
}

export const PLAN_INPUTS = { 'llama-8b': LLAMA_8B, 'llama-405b': LLAMA_405B, mixtral: MIXTRAL } as const
