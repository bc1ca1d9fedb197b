import { builtInCatalog } from '@ironlaw/catalog'
import { builtInModel, importConfig } from '@ironlaw/models'
import { expect, test } from 'vitest'
import { answersInOnePass, onePassArchitecture } from './one-pass.ts'
import { planServing } from './plan-serving.ts'
import { preparedReplica } from './prepared-replica.ts'
import { prefillWork } from './steady-state.ts'
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

test('an encoder is planned within its objective', () => {
  const [best] = planServing(builtInCatalog, {
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
  }).plans
  expect(best?.prediction.ttft_s).toBeLessThanOrEqual(0.4)
  expect(best?.devices).toBeLessThanOrEqual(4)
})
