import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { batchNear, batchOfTokens, usualBatch, waysToDivide } from './batch-size.ts'
import { fleetSizes } from '../plan-training.ts'

const divisionOver = (devices: number, fixed = {}) => ({ fleets: fleetSizes(devices, 8), fixed })

test.each([
  ['4M tokens', 4e6, 4096, 64, '4M tokens = 1,024 sequences of 4,096 (4.19M tokens); 977 would not divide over 64 devices'],
  ['16M tokens', 16e6, 8192, 64, '16M tokens = 2,048 sequences of 8,192 (16.8M tokens); 1,953 would not divide over 64 devices'],
  [
    '16M tokens',
    16e6,
    8192,
    16_384,
    '16M tokens = 2,048 sequences of 8,192 (16.8M tokens); 1,953 would allow 1-way data parallelism at most, not 2,048-way',
  ],
  ['4M tokens', 4e6, 4096, 96, '4M tokens = 960 sequences of 4,096 (3.93M tokens); 977 would not divide over 96 devices'],
  ['4M tokens', 4e6, 4096, 61, '4M tokens = 1,008 sequences of 4,096 (4.13M tokens); 977 would divide over 61 devices in fewer ways'],
  ['3.2M tokens', 3.2e6, 4096, 64, '3.2M tokens = 768 sequences of 4,096 (3.15M tokens); 781 would not divide over 64 devices'],
  ['100k tokens', 1e5, 4096, 8, '100k tokens = 24 sequences of 4,096 (98,304 tokens)'],
])('%s (%d) of %d tokens on %d devices', (text, tokens, sequence, devices, note) => {
  expect(batchOfTokens({ text, tokens, sequence }, divisionOver(devices))?.note).toBe(note)
})

test('tokens that are whole sequences are taken as they are', () => {
  expect(batchOfTokens({ text: '4M tokens', tokens: 4e6, sequence: 4000 }, divisionOver(64))).toEqual({ sequences: 1000 })
})

test('less than half a sequence is no batch', () => {
  expect(batchOfTokens({ text: '1k tokens', tokens: 1000, sequence: 4096 }, divisionOver(8))).toBeUndefined()
})

test('degrees that the spec fixes decide what the batch must divide by', () => {
  expect(batchNear(976.6, divisionOver(64, { data: 20, microbatch: 3 })) % 60).toBe(0)
})

property.prop([fc.integer({ min: 1, max: 512 }), fc.double({ min: 1, max: 2e4, noNaN: true })], { numRuns: 20 })(
  'a batch moves by 5 % at most or to the nearest count, and never divides worse than that',
  (devices, exact) => {
    const division = divisionOver(devices)
    const found = batchNear(exact, division)
    const nearest = Math.round(exact)
    expect(found === nearest || Math.abs(found / exact - 1) <= 0.05).toBe(true)
    expect(waysToDivide(found, division)).toBeGreaterThanOrEqual(waysToDivide(nearest, division))
  },
)

test('a batch that nobody stated grows with the arithmetic, and is small for a small job', () => {
  // DeepSeek LLM 7B, 2T tokens of 4,096: 2,304 sequences in the paper.
  expect(usualBatch({ active: 6.9e9, tokens: 2e12, sequence: 4096 })).toBe(2048)
  expect(usualBatch({ active: 405e9, tokens: 15e12, sequence: 8192 })).toBe(2048)
  // 5,992 sequences of 2,800 are 2^24 tokens; 8,192, the nearest power of two, would be 22.9M.
  expect(usualBatch({ active: 405e9, tokens: 15e12, sequence: 2800 })).toBe(4096)
  const small = usualBatch({ active: 8e9, tokens: 1e9, sequence: 8192 })
  expect(small * 8192).toBeLessThan(2e6)
  expect(usualBatch({ active: 8e9, tokens: 1e6, sequence: 8192 })).toBe(1)
})
