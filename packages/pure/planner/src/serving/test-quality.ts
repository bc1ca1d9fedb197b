// A model whose quality in another precision was measured, for tests.

import type { ServingPlanInputs } from './serving-inputs.ts'
import { replicaOf } from './test-replica.ts'

export type TestDrop = { readonly value: number; readonly low: number; readonly high: number }

const FROM = 'evaluations of 2026-11'
const DIGEST = '0'.repeat(64)

/** An entry of the catalog; in INT4 unless `over` says otherwise. */
export const measuredDrop = (drop: TestDrop, over: object = {}): object => ({
  name: 'chat in int4',
  model: 'chat',
  precision: 'int4',
  cache: 'bf16',
  reference: 'bf16',
  suite: 'sums',
  task: 'answer',
  metric: 'exact_match',
  digests: { items: DIGEST, instrument: DIGEST, reference: DIGEST, candidate: DIGEST },
  items: { is: '250', from: FROM },
  differing: { is: '0.02', from: FROM },
  referenceScore: { is: '0.868', from: FROM },
  score: { is: '0.864', from: FROM },
  drop: Object.fromEntries(Object.entries(drop).map(([name, value]) => [name, { is: String(value), from: FROM }])),
  candidates: { is: '1', from: FROM },
  ...over,
})

export const QUALITY_RULE = { suite: 'sums', margin: 0.01, reference: 'bf16', model: 'chat' } as const

export const QUALITY_INPUTS: ServingPlanInputs = {
  name: 'chat',
  model: 'chat',
  architecture: replicaOf().architecture,
  traffic: { requests_per_s: 5, input_tokens: 500, output_tokens: 100, cachedPrompt: 0 },
  objectives: { ttft_s: 0.8, tpot_s: 0.03, percentile: 'p90', probability: 0.9 },
  accelerators: ['h100-sxm'],
  precisions: ['bf16', 'int4'],
  layout: { tensor: 1 },
  engine: 'vllm',
  cache: 'bf16',
  spare: 0,
  goal: 'cost',
  disaggregated: 'never',
  quality: QUALITY_RULE,
}
