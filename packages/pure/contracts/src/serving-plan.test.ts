import { expect, test } from 'vitest'
import { type ServingPlan, servingPlanId } from './serving-plan.ts'

const PLAN: ServingPlan = {
  apiVersion: 'ironlaw/v1',
  kind: 'ServingPlan',
  id: '',
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
  },
}

test('a plan is named by its content, whatever id it carries', () => {
  const id = servingPlanId(PLAN)
  expect(id).toMatch(/^serve-[0-9a-f]{12}$/)
  expect(servingPlanId({ ...PLAN, id })).toBe(id)
  expect(servingPlanId({ ...PLAN, devices: 12 })).not.toBe(id)
})
