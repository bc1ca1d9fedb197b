import { expect, test } from 'vitest'
import { dataOrderId, parseDataOrder } from './data-order.ts'
import { parseTokenDataset } from './token-dataset.ts'

const digest = 'a'.repeat(64)
const order = (over: object = {}): object => ({
  apiVersion: 'ironlaw/v1',
  kind: 'DataOrder',
  seed: 1,
  sources: [
    { name: 'web', samples: 100, digest },
    { name: 'code', samples: 30, digest },
  ],
  phases: [
    { until: 50, sources: [{ source: 'web', weight: 1 }] },
    {
      sources: [
        { source: 'web', weight: 7 },
        { source: 'code', weight: 3 },
      ],
    },
  ],
  ...over,
})

test('an order is named by its content, not by how it was written', () => {
  const read = parseDataOrder(order(), 'data-order.json')
  expect(dataOrderId(read)).toMatch(/^order-[0-9a-f]{64}$/)
  expect(dataOrderId(parseDataOrder(JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(order()).toReversed()))), 'x'))).toBe(
    dataOrderId(read),
  )
  expect(dataOrderId({ ...read, seed: 2 })).not.toBe(dataOrderId(read))
})

test.each([
  [{ seed: -1 }, 'seed: '],
  [{ sources: [{ name: 'web', samples: 0, digest }], phases: [{ sources: [{ source: 'web', weight: 1 }] }] }, 'sources.0.samples: '],
  [
    {
      sources: [
        { name: 'web', samples: 1, digest },
        { name: 'web', samples: 2, digest },
        { name: 'code', samples: 1, digest },
      ],
    },
    'sources.1.name: "web" is there twice',
  ],
  [
    { phases: [{ sources: [{ source: 'web', weight: 1 }] }, { sources: [{ source: 'web', weight: 1 }] }] },
    'phases.0.until: missing; only the last',
  ],
  [
    {
      phases: [
        { until: 9, sources: [{ source: 'web', weight: 1 }] },
        { until: 9, sources: [{ source: 'web', weight: 1 }] },
      ],
    },
    'phases.1.until: 9 is not behind 9',
  ],
  [{ phases: [{ sources: [{ source: 'wbe', weight: 1 }] }] }, 'phases.0.sources.0.source: there is no source "wbe"'],
  [{ phases: [{ sources: [{ source: 'web', weight: 0.5 }] }] }, 'phases.0.sources.0.weight: expected a whole number'],
  [{ phases: [{ sources: [{ source: 'web', weight: 2 ** 27 }] }] }, 'phases.0.sources: the weights add up to'],
])('%j is refused at its field', (over, problem) => {
  expect(() => parseDataOrder(order(over), 'data-order.json')).toThrow(`data-order.json: ${problem}`)
})

test('a dataset whose numbers contradict each other is refused', () => {
  const shard = { tokens: 100, documents: 3, tokensDigest: digest, documentsDigest: digest }
  const dataset = {
    apiVersion: 'ironlaw/v1',
    kind: 'TokenDataset',
    tokenizer: 'bytes',
    vocabulary: 256,
    dtype: 'uint16',
    sequence: 10,
    tokens: 100,
    documents: 3,
    samples: 9,
    shards: [shard],
  }
  const parse = (over: object) => () => parseTokenDataset({ ...dataset, ...over }, 'dataset.json')
  expect(parse({})).not.toThrow()
  expect(parse({ samples: 10 })).toThrow('samples: is 10, but the other fields make it 9')
  expect(parse({ tokens: 101, samples: 10 })).toThrow('tokens: is 101, but the other fields make it 100')
  expect(parse({ vocabulary: 100_000 })).toThrow('dtype: is uint16, but the other fields make it uint32')
})
