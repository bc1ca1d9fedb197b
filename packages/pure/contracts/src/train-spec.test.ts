import { expect, test } from 'vitest'
import { IronlawError } from './error.ts'
import { parseTrainSpec, trainSpecSchema } from './train-spec.ts'

const LEAST = {
  apiVersion: 'ironlaw/v1',
  kind: 'Train',
  name: 'llama-405b',
  model: 'llama-3.1-405b',
  tokens: '15.6T tokens',
  sequence: 8192,
  globalBatch: 2048,
  fleet: { accelerator: 'h100-sxm', count: 16_384 },
}

test('the least spec is whole, and its goal is time', () => {
  expect(parseTrainSpec(LEAST, 'train.yaml')).toEqual({ ...LEAST, goal: 'time' })
})

test('a checkpoint policy that would have no effect is rejected', () => {
  const run = (framework: string) => ({ ...LEAST, run: { program: ['train.py'], framework, checkpoints: { keepLast: 3 } } })
  expect(parseTrainSpec(run('sdk'), 'train.yaml').run?.checkpoints).toEqual({ keepLast: 3 })
  expect(() => parseTrainSpec(run('torchtitan'), 'train.yaml')).toThrow('run.checkpoints: only programs that save with the SDK')
  const wrong = { ...LEAST, run: { program: ['train.py'], checkpoints: { keepLst: 3 } } }
  expect(() => parseTrainSpec(wrong, 'train.yaml')).toThrow(/run\.checkpoints\.keepLst: unknown field.*keepLast/)
})

test('a spec with everything is kept as written', () => {
  const most = {
    ...LEAST,
    globalBatch: '16M tokens',
    fleet: { ...LEAST.fleet, perNode: 8, node: 'dgx-h100', link: '400 Gb/s' },
    precision: 'bf16-mixed',
    goal: 'cost',
    deadline: '54d',
    budget: '$5M',
    region: 'us-virginia',
    price: '$2.50/h',
    runtime: 'megatron',
    memory: { probability: 0.9 },
    strategy: {
      tensor: 8,
      sequenceParallel: true,
      context: 1,
      contextBy: 'ring',
      pipeline: 16,
      virtual: 8,
      schedule: 'interleaved',
      expert: 1,
      data: 128,
      shards: 'optimizer',
      shardGroup: 64,
      optimizerOn: 'nvme',
      microbatch: 1,
      recompute: 'none',
    },
  }
  expect(parseTrainSpec(most, 'train.yaml')).toEqual(most)
})

test('sizes as people write them are kept as written', () => {
  const written = { ...LEAST, tokens: '300B', sequence: '8k', globalBatch: '4M tokens' }
  expect(parseTrainSpec(written, 'train.yaml')).toEqual({ ...written, goal: 'time' })
})

test.each([
  ['not a mapping', 'train', '(file)', 'expected object'],
  ['another version', { ...LEAST, apiVersion: 'v2' }, 'apiVersion', 'expected "ironlaw/v1"'],
  ['a missing field', { ...LEAST, tokens: undefined }, 'tokens', 'missing; expected string'],
  ['a bare number', { ...LEAST, tokens: '15.6e12' }, 'tokens', 'has no unit'],
  [
    'the wrong unit',
    { ...LEAST, fleet: { ...LEAST.fleet, link: '400 GB' } },
    'fleet.link',
    '"GB" is not a unit of bandwidth; write for example "400 Gb/s" (per accelerator)',
  ],
  [
    'a number for a link',
    { ...LEAST, fleet: { ...LEAST.fleet, link: 100 } },
    'fleet.link',
    '"100" has no unit; write for example "400 Gb/s"',
  ],
  ['a number for a quantity', { ...LEAST, tokens: 300 }, 'tokens', '300 has no unit; write for example "15.6T tokens"'],
  [
    'a word for a number',
    { ...LEAST, fleet: { ...LEAST.fleet, count: 'eight' } },
    'fleet.count',
    'expected a whole number such as 8, not "eight"',
  ],
  ['another kind', { ...LEAST, kind: 'Training' }, 'kind', 'expected "Train"'],
  ['nothing to spend', { ...LEAST, budget: '$0' }, 'budget', 'must be more than zero'],
  ['a mistyped field', { ...LEAST, dedline: '54d' }, 'dedline', 'unknown field; did you mean deadline?'],
  ['a mistyped inner field', { ...LEAST, fleet: { ...LEAST.fleet, pernod: 8 } }, 'fleet.pernod', 'did you mean perNode?'],
  ['a field of nothing', { ...LEAST, strategy: { zzzzzzzzz: 1 } }, 'strategy.zzzzzzzzz', 'known are tensor'],
  ['half a sequence', { ...LEAST, globalBatch: 0.5 }, 'globalBatch', 'expected a whole number of sequences'],
  ['a batch without unit', { ...LEAST, globalBatch: '16' }, 'globalBatch', 'has no unit'],
  ['a batch of nothing', { ...LEAST, globalBatch: null }, 'globalBatch', 'expected a whole number of sequences'],
  ['a batch of sequences or tokens', { ...LEAST, globalBatch: '4M' }, 'globalBatch', 'Did you mean "4M tokens"?'],
  ['a batch of bytes', { ...LEAST, globalBatch: '4MB' }, 'globalBatch', 'a whole number of sequences such as 1024, or tokens such as'],
  ['a length of bytes', { ...LEAST, sequence: '8kB' }, 'sequence', 'write a whole number such as 8192, or 8k (8,192)'],
  ['a length of nothing', { ...LEAST, sequence: null }, 'sequence', 'expected a whole number of tokens such as 8192, or 8k'],
  ['an unknown policy', { ...LEAST, precision: 'fp16' }, 'precision', 'expected one of'],
  ['an empty name', { ...LEAST, name: '' }, 'name', 'must not be empty'],
  ['another kind', { apiVersion: 'ironlaw/v1', kind: 'Serve' }, 'kind', 'expected "Train", found "Serve"'],
])('%s is refused at %s', (_, value, path, problem) => {
  const parseRefused = (): unknown => parseTrainSpec(value, 'train.yaml')
  expect(parseRefused).toThrow(IronlawError)
  expect(parseRefused).toThrow(`train.yaml: ${path}: `)
  expect(parseRefused).toThrow(problem)
  expect(parseRefused).toThrow(expect.objectContaining({ code: 'IL_SPEC', exit: 1 }))
})

test('all faults are named at once, a misspelt field once', () => {
  const { globalBatch, ...rest } = LEAST
  const parseRefused = (): unknown => parseTrainSpec({ ...rest, global_batch: globalBatch, sequence: -1, goal: 'fun' }, 'train.yaml')
  expect(parseRefused).toThrow(
    [
      'train.yaml: 3 problems:',
      '    global_batch: unknown field; did you mean globalBatch?',
      '    sequence: expected a whole number such as 8; at least 1',
      '    goal: expected one of "time"|"cost"|"energy"',
    ].join('\n'),
  )
})

test('a file that is something else does not fill the screen', () => {
  const strange = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`zzzzzz${index}`, 1]))
  expect(() => parseTrainSpec({ ...LEAST, ...strange }, 'train.yaml')).toThrow(/^train\.yaml: 300 problems:\n(?:.*\n){20} {4}and 280 more$/)
})

test('the schema describes every field, asks for what has no default and allows no other', () => {
  const schema = trainSpecSchema()
  expect(schema.required).toEqual(Object.keys(LEAST).filter((field) => field !== 'globalBatch'))
  expect(schema.additionalProperties).toBe(false)
  for (const [name, field] of Object.entries(schema.properties ?? {})) expect(field, name).toHaveProperty('description')
  expect(JSON.stringify(schema)).toContain('"examples":["400 Gb/s",')
})

test('every quantity of the schema names its unit', () => {
  const described = JSON.stringify(trainSpecSchema())
  for (const words of ['time with its unit, such as 30min', 'money with its unit, such as $5M', 'in bits or bytes per second', 'k (1,024)'])
    expect(described).toContain(words)
})
