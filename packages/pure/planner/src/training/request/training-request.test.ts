import { builtInCatalog } from '@ironlaw/catalog'
import { parseTrainSpec } from '@ironlaw/contracts/train-spec'
import { builtInModel, importConfig } from '@ironlaw/models'
import { expect, test } from 'vitest'
import { type TrainingRequest, trainingRequest } from './training-request.ts'

const imported = importConfig(builtInModel('Llama-3.1-8B')?.config)
if (!imported.ok) throw new Error(imported.problem)
const { architecture } = imported

const LEAST = {
  apiVersion: 'ironlaw/v1',
  kind: 'Train',
  name: 'llama-8b',
  model: 'Llama-3.1-8B',
  tokens: '300B',
  sequence: '4k',
  globalBatch: '4M tokens',
  fleet: { accelerator: 'a100-80gb-sxm', count: 64 },
}

type Changes = Partial<Record<keyof typeof LEAST | 'price' | 'precision' | 'failures', unknown>>

const requestFor = (changes: Changes = {}): TrainingRequest =>
  trainingRequest(builtInCatalog, parseTrainSpec({ ...LEAST, ...changes }, 'train.yaml'), { name: 'llama', architecture, warnings: [] })

test('sizes as people write them become what the planner takes, and it says what it made of them', () => {
  const { wanted, warnings } = requestFor()
  expect(wanted).toMatchObject({ tokens: 300e9, job: { sequence: 4096, globalBatch: 1024 } })
  expect(warnings).toEqual(['4M tokens = 1,024 sequences of 4,096 (4.19M tokens); 977 would not divide over 64 devices'])
})

test.each<[string, Changes, string]>([
  [
    'sequences for tokens',
    { globalBatch: 4_000_000 },
    'globalBatch: 4,000,000 sequences of 4,096 are 16.4B tokens in one step; did you mean "4M tokens"?',
  ],
  [
    'tokens for billions',
    { tokens: '300 tokens' },
    'tokens: 300 tokens is less than one step of 4.19M tokens; did you mean "300B tokens"?',
  ],
  ['a batch beyond the data', { tokens: '1M' }, 'tokens: 1M is less than one step of 4.19M tokens; take more tokens or a smaller batch'],
  [
    'a sequence beyond any',
    { sequence: 32_000_000 },
    'sequence: 32,000,000 tokens are longer than any model takes; did you mean 32k (32,768)?',
  ],
  [
    'more spot nodes than there are',
    { failures: { spot: { together: 9 } } },
    'failures.spot.together: 9 nodes cannot be taken away at once from 8: take at most 8, or leave it out',
  ],
  ['a batch below a sequence', { globalBatch: '1k tokens' }, 'globalBatch: 1k tokens is less than one sequence of 4096 tokens'],
])('%s is refused with what was probably meant', (_, changes, problem) => {
  expect(() => requestFor(changes)).toThrow(problem)
})

test.each<[string, Changes, string]>([
  [
    'a thousand too many',
    { sequence: 8_000_000, globalBatch: 64 },
    'longer than the 131072 the model was made for; did you mean 8k (8,192)?',
  ],
  ['a longer context', { sequence: '256k' }, 'sequences of 262144 tokens are longer than the 131072 the model was made for'],
  ['a thousand too few', { sequence: 8, globalBatch: 64 }, 'sequences of 8 tokens are very short; did you mean 8k?'],
  [
    'bytes for bits',
    { fleet: { ...LEAST.fleet, link: '400 GB/s' } },
    'fleet.link: 400 GB/s per accelerator is more than any network has; did you mean 400 Gb/s?',
  ],
  [
    'the price of a node',
    { price: '$32.77/h' },
    'price: $32.77/h is per accelerator; a price per node is divided by the accelerators of the node',
  ],
])('%s is planned, and questioned', (_, changes, doubt) => {
  expect(requestFor(changes).warnings).toContainEqual(expect.stringContaining(doubt))
})

test('what is usual is not questioned', () => {
  expect(requestFor({ sequence: 8192, globalBatch: 512, price: '$2.50/h', fleet: { ...LEAST.fleet, link: '1600 Gb/s' } }).warnings).toEqual(
    [],
  )
})

test.each([
  ['tpu-v5p', 'maxtext', 'bf16-mixed'],
  ['trainium-2', 'neuronx', 'bf16-mixed'],
  ['v100', 'megatron-core', 'fp16-mixed'],
  ['mi300x', 'megatron-core', 'bf16-mixed'],
])('%s is planned with software and precision that it has', (accelerator, runtime, precision) => {
  const { machine, wanted } = requestFor({ fleet: { accelerator, count: 64 } })
  expect(machine.runtime.name).toBe(runtime)
  expect(wanted.job.policy.name).toBe(precision)
})

test('BF16 is refused where there is none', () => {
  expect(() => requestFor({ fleet: { accelerator: 'v100', count: 64 }, precision: 'bf16-mixed' })).toThrow(/has no bf16.*choose fp16-mixed/)
})

test('a batch that is left out is assumed, and said', () => {
  const { globalBatch: _, ...rest } = LEAST
  const spec = parseTrainSpec({ ...rest, tokens: '1B' }, 'train.yaml')
  const { wanted, warnings } = trainingRequest(builtInCatalog, spec, { name: 'llama', architecture, warnings: [] })
  expect(wanted.job.globalBatch * wanted.job.sequence).toBeLessThan(2e6)
  expect(warnings.join()).toContain('batch assumed')
})
