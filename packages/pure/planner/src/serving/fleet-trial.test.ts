import { builtInCatalog } from '@ironlaw/catalog'
import { describe, expect, test } from 'vitest'
import { planServing } from './plan-serving.ts'
import type { ServingPlanInputs } from './serving-inputs.ts'
import { replicaOf } from './test-replica.ts'

/** Short answers to many: what decodes is limited by the caches that come through its ports. */
const HANDED_OVER: ServingPlanInputs = {
  name: 'handed over',
  model: 'Mixtral-8x7B',
  architecture: replicaOf({ model: 'Mixtral-8x7B' }).architecture,
  traffic: { requests_per_s: 400, input_tokens: 1000, output_tokens: 50, cachedPrompt: 0 },
  objectives: { ttft_s: 6, tpot_s: 0.05, percentile: 'mean', probability: 0.9 },
  accelerators: ['b200'],
  layout: { tensor: 1, data: 1 },
  engine: 'vllm',
  cache: 'bf16',
  spare: 0,
  goal: 'cost',
  disaggregated: 'only',
}

describe('a trial', () => {
  test('accepts no rate beyond what the devices have', () => {
    const { plans } = planServing(builtInCatalog, HANDED_OVER)
    expect(plans.length).toBeGreaterThan(0)
    const rates = plans.flatMap(({ pools }) => pools.flatMap(({ capacities = [] }) => capacities.filter(({ unit }) => unit !== 'B')))
    for (const { share } of rates) expect(share).toBeLessThanOrEqual(1 + 1e-6)
  })
})
