import { fc, test as property } from '@fast-check/vitest'
import { builtInCatalog } from '@ironlaw/catalog'
import { parseTrainSpec } from '@ironlaw/contracts/train-spec'
import { builtInModel, importConfig } from '@ironlaw/models'
import { expect, test } from 'vitest'
import { nearMisses, suggestionOf } from './near-miss.ts'
import { planTraining } from '../plan-training.ts'
import { answerTraining } from './training-answer.ts'
import { type TrainingRequest, trainingRequest } from './training-request.ts'

const imported = importConfig(builtInModel('Llama-3.1-8B')?.config)
if (!imported.ok) throw new Error(imported.problem)
const named = { name: 'llama', architecture: imported.architecture, warnings: [] }

function requestFor(sequence: number, globalBatch: number | string, strategy = {}): TrainingRequest {
  const fleet = { accelerator: 'a100-80gb-sxm', count: 64 }
  const spec = { apiVersion: 'ironlaw/v1', kind: 'Train', name: 'near', model: 'm', tokens: '300B', sequence, globalBatch, fleet, strategy }
  return trainingRequest(builtInCatalog, parseTrainSpec(spec, 'train.yaml'), named)
}

const sizes = (request: TrainingRequest) => nearMisses(request).map(({ field, from, to }) => ({ field, from, to }))

function suggestions(request: TrainingRequest): readonly string[] {
  const answer = answerTraining(builtInCatalog, request, { keep: 1 })
  return nearMisses(request).flatMap((miss) => {
    const near = planTraining(builtInCatalog, request.machine, { ...miss.wanted, keep: 1 })
    return suggestionOf(answer, miss, near)?.text ?? []
  })
}

test.each<[number, number | string, readonly object[]]>([
  [4096, 977, [{ field: 'globalBatch', from: 977, to: 1024 }]],
  [4096, 1000, [{ field: 'globalBatch', from: 1000, to: 1024 }]],
  [8000, 1024, [{ field: 'sequence', from: 8000, to: 8192 }]],
  [
    4000,
    '4M tokens',
    [
      { field: 'globalBatch', from: 1000, to: 1024 },
      { field: 'sequence', from: 4000, to: 4096 },
    ],
  ],
  [4096, '4M tokens', []],
  [4096, 1024, []],
  [8064, 960, []],
])('sequences of %d, batch %s', (sequence, batch, misses) => {
  expect(sizes(requestFor(sequence, batch))).toEqual(misses)
})

test('a prime batch gets a suggestion of its neighbour, with the gain', () => {
  expect(suggestions(requestFor(4096, 977))).toEqual([
    expect.stringMatching(/^batch 1,024 instead of 977: [\d.]+ d for all tokens instead of [\d.]+ d \(\d+ % less\)$/),
  ])
})

test('a batch that the fixed degrees do not divide gets a suggestion of one that they do', () => {
  expect(suggestions(requestFor(4096, 977, { data: 64, tensor: 1, pipeline: 1 }))).toEqual([
    expect.stringMatching(/^batch 1,024 instead of 977 would fit: /),
  ])
})

property.prop([fc.integer({ min: 0, max: 14 }), fc.integer({ min: 7, max: 16 })])(
  'powers of two have no better neighbour, so that usual plans cost no second search',
  (batch, sequence) => {
    fc.pre(batch + sequence <= 28)
    expect(sizes(requestFor(2 ** sequence, 2 ** batch))).toEqual([])
  },
)
