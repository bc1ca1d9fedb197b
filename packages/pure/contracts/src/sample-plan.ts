// Plans as the planners make them, small, for tests that need one to be valid. What a test is about is given; the id follows.

import { planId, servingPlanId } from './plan-id.ts'
import type { ServingPlan } from './serving-plan.ts'
import type { TrainingPlan } from './training-plan.ts'
import { UNDIVIDED } from './undivided.ts'

type TrainingPlanOverrides = Partial<Omit<TrainingPlan, 'id' | 'prediction' | 'fleet' | 'decision'>> & {
  readonly fleet?: Partial<TrainingPlan['fleet']>
  readonly decision?: Partial<TrainingPlan['decision']>
  readonly prediction?: Partial<TrainingPlan['prediction']>
}

export function sampleTrainingPlan({ fleet, decision, prediction, ...given }: TrainingPlanOverrides = {}): TrainingPlan {
  const plan: Omit<TrainingPlan, 'id'> = {
    apiVersion: 'ironlaw/v1',
    kind: 'TrainingPlan',
    name: 'tiny',
    model: { name: 'tiny', layers: 2, width: 64, heads: 4, kvHeads: 4, inner: 256, vocabulary: 1000, gated: false, modelType: 'gpt2' },
    tokens: 1_000_000,
    sequence: 128,
    globalBatch: 8,
    ...given,
    fleet: { accelerator: 'h100-sxm', devices: 4, perNode: 2, ...fleet },
    decision: { ...UNDIVIDED, data: 4, precision: 'bf16-mixed', ...decision },
    prediction: {
      step_s: 0.5,
      step_low_s: 0.45,
      step_high_s: 0.6,
      tokens_per_s_per_device: 512,
      mfu: 0.4,
      hfu: 0.4,
      memory_bytes: 1e9,
      memory_limit_bytes: 8e10,
      duration_s: 489,
      causes_s: { products: 0.4, data: 0.1 },
      ...prediction,
    },
  }
  return { ...plan, id: planId(plan) }
}

export function sampleServingPlan(
  given: Partial<Omit<ServingPlan, 'id' | 'prediction'>> & { readonly prediction?: Partial<ServingPlan['prediction']> } = {},
): ServingPlan {
  const { prediction, ...rest } = given
  const plan: Omit<ServingPlan, 'id'> = {
    apiVersion: 'ironlaw/v1',
    kind: 'ServingPlan',
    name: 'chat',
    model: { name: 'Llama-3.1-70B' },
    engine: 'vllm',
    accelerator: 'h100-sxm',
    devicesPerNode: 8,
    precision: 'fp8',
    cache: 'bf16',
    pools: [{ role: 'all', replicas: 5, layout: { tensor: 2, pipeline: 1, data: 1, expert: 1 }, devicesPerReplica: 2 }],
    devices: 10,
    spare: 1,
    traffic: { requests_per_s: 20, input_tokens: 1200, output_tokens: 300, cachedPrompt: 0 },
    objectives: { ttft_s: 0.8, tpot_s: 0.05, percentile: 'p90' },
    ...rest,
    prediction: {
      ttft_s: 0.28,
      tpot_s: 0.05,
      tpot_low_s: 0.04,
      tpot_high_s: 0.06,
      replica_requests_per_s: 5,
      capacity_requests_per_s: 20,
      output_tokens_per_s_per_device: 600,
      decoding: 75,
      memoryBandwidthUtilization: 0.6,
      flopsUtilization: 0.1,
      weights_bytes: 36e9,
      cache_tokens: 200_000,
      binding: 'tpot',
      joules_per_token: 1,
      step_s: {},
      ...prediction,
    },
  }
  return { ...plan, id: servingPlanId(plan) }
}
