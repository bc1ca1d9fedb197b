import { builtInCatalog } from '@ironlaw/catalog'
import { parseTrainSpec } from '@ironlaw/contracts/train-spec'
import { builtInModel, importConfig } from '@ironlaw/models'
import { expect, test } from 'vitest'
import { answerTraining, type TrainingAnswer } from '../request/training-answer.ts'
import { trainingRequest } from '../request/training-request.ts'

const imported = importConfig(builtInModel('Llama-3.1-8B')?.config)
if (!imported.ok) throw new Error(imported.problem)
const { architecture } = imported

function answer(more: Record<string, unknown>): TrainingAnswer {
  const spec = parseTrainSpec(
    {
      apiVersion: 'ironlaw/v1',
      kind: 'Train',
      name: 'job',
      model: 'Llama-3.1-8B',
      tokens: '1B tokens',
      sequence: 4096,
      globalBatch: 64,
      fleet: { accelerator: 'h100-sxm', count: 8 },
      ...more,
    },
    'spec.yaml',
  )
  const request = trainingRequest(builtInCatalog, spec, { name: spec.model, architecture, warnings: [] })
  return answerTraining(builtInCatalog, request, { keep: 1 })
}

test.each([
  [
    'chunks are interleaved, so their number of microbatches is what is wrong',
    { globalBatch: 6, strategy: { pipeline: 4, virtual: 2, microbatch: 1 } },
    '3 microbatches are not a multiple of pipeline 4, as interleaving requires',
  ],
  [
    'a shard group shards something, so its size is what is wrong',
    { strategy: { shardGroup: 3 } },
    'a shard group of 3 does not divide the 8 replicas',
  ],
])('%s', (_, more, why) => {
  expect(answer(more).nothing?.why).toBe(`no legal strategy: ${why}`)
})

test('Muon on Megatron is planned with its states divided alone, and nothing else is proposed', () => {
  const small = { optimizer: 'muon', model: 'Llama-3.1-8B', fleet: { accelerator: 'a100-40gb-sxm', count: 8 } }
  expect(answer({ optimizer: 'muon' }).best?.plan.decision.shards).toBe('optimizer')
  for (const given of [small, { ...small, strategy: { tensor: 1, pipeline: 1 } }]) {
    const { best, nothing } = answer(given)
    expect(best?.plan.decision.shards ?? 'optimizer').toBe('optimizer')
    expect(best?.plan.decision.optimizerOn ?? 'device').toBe('device')
    expect(nothing?.change ?? '').not.toMatch(/shard the weights|host/)
  }
})

test.each([
  [{ shards: 'weights' }, 'strategy.shards: megatron-core divides the states of Muon, not weights: set strategy.shards: optimizer'],
  [{ optimizerOn: 'host' }, 'strategy.optimizerOn: megatron-core keeps the states of Muon on the device: set strategy.optimizerOn: device'],
])('Muon with %o is refused', (strategy, problem) => {
  expect(() => answer({ optimizer: 'muon', strategy })).toThrow(problem)
  expect(answer({ optimizer: 'muon', strategy, runtime: 'fsdp-compiled' }).best).toBeDefined()
})
