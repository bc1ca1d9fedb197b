import { builtInCatalog } from '@ironlaw/catalog'
import { builtInModel, importConfig } from '@ironlaw/models'
import { SERVING_PLAN } from '@ironlaw/contracts/serving-plan'
import { expect, test } from 'vitest'
import { answersInOnePass, onePassArchitecture } from './one-pass.ts'
import { planServing } from './plan-serving.ts'
import { preparedReplica } from './prepared-replica.ts'
import { prefillWork } from './steady-state.ts'
import type { ServingPlanInputs } from './serving-inputs.ts'
import { replicaOf } from './test-replica.ts'

const imported = importConfig(builtInModel('bert-large')?.config)
if (!imported.ok) throw new Error(imported.problem)
const bert = imported.architecture
const architecture = onePassArchitecture(bert)

test('an encoder answers in one pass, a decoder does not', () => {
  expect(answersInOnePass(bert)).toBe(true)
  expect(answersInOnePass(replicaOf().architecture)).toBe(false)
})

test('a pass reads both ways and chooses no word', () => {
  const { step } = preparedReplica({ ...replicaOf(), architecture })
  const { head, total } = step.explained(prefillWork(256, 32))
  expect(head).toBe(0)
  // 8,192 tokens of 302 million parameters at the peak of an H100.
  expect(total).toBeGreaterThan((8192 * 2 * 302e6) / 989e12)
  expect(total).toBeLessThan(5 * ((8192 * 2 * 302e6) / 989e12))
})

const EMBED: ServingPlanInputs = {
  name: 'embed',
  model: 'bert-large',
  architecture,
  traffic: { requests_per_s: 200, input_tokens: 256, output_tokens: 1, cachedPrompt: 0 },
  objectives: { ttft_s: 0.4, tpot_s: 0.1, percentile: 'p90' },
  accelerators: ['h100-sxm'],
  engine: 'vllm',
  cache: 'bf16',
  spare: 1,
  goal: 'devices',
  disaggregated: 'never',
}

test('an encoder is planned within its objective', () => {
  const [best] = planServing(builtInCatalog, EMBED).plans
  expect(best?.prediction.ttft_s).toBeLessThanOrEqual(0.4)
  expect(best?.devices).toBeLessThanOrEqual(4)
})

test('an answer of one token has no time per token, and no objective of one', () => {
  const [best] = planServing(builtInCatalog, { ...EMBED, objectives: { ...EMBED.objectives, tpot_s: 1e-6 } }).plans
  expect(best?.prediction.tpot_s).toBe(0)
  expect(best?.prediction.binding).not.toBe('tpot')
  expect(SERVING_PLAN.parse(best)).toEqual(best)
  const parted = planServing(builtInCatalog, { ...EMBED, disaggregated: 'only' })
  expect(parted.plans).toEqual([])
  expect(parted.rejected.map(({ reason }) => reason)).toContain('answers of one token leave nothing to decode')
})
