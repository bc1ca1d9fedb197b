import { expect, test } from 'vitest'
import { requestsHeld, servingMemory } from './memory.ts'
import { replicaOf } from './test-replica.ts'

const memoryOf = (model: string, tensor: number, precision: 'bf16' | 'fp8' | 'int4' = 'bf16') =>
  servingMemory(replicaOf({ model, precision, layout: { tensor } }))

test('70.6 billion parameters in 16 bits are 141 GB, on eight devices an eighth', () => {
  expect(memoryOf('Llama-3.1-70B', 1).weights_bytes / 1e9).toBeCloseTo(141.1, 0)
  expect(memoryOf('Llama-3.1-70B', 8).weights_bytes / 1e9).toBeCloseTo(17.6, 1)
  expect(memoryOf('Llama-3.1-70B', 1).cache_bytes).toBe(0)
})

test('a quantized checkpoint keeps table and head in 16 bits', () => {
  const { weights_bytes } = memoryOf('Llama-3.1-70B', 1, 'int4')
  expect(weights_bytes).toBeGreaterThan(0.53 * 70.6e9)
  expect(weights_bytes).toBeLessThan(0.53 * 70.6e9 + 4.3e9)
})

test('a token of Llama 3.1 70B takes 2 x 80 x 8 x 128 x 2 bytes, divided by heads as far as there are any', () => {
  expect(memoryOf('Llama-3.1-70B', 1).token_bytes).toBe(327_680)
  expect(memoryOf('Llama-3.1-70B', 8).token_bytes).toBe(40_960)
})

test('a latent is whole on every rank', () => {
  const of = (tensor: number): number => servingMemory(replicaOf({ model: 'DeepSeek-R1', layout: { tensor } })).token_bytes
  expect(of(8)).toBe(of(1))
  expect(of(1)).toBe(61 * 576 * 2)
})

test('requests lose half a block each', () => {
  const memory = memoryOf('Llama-3.1-8B', 1)
  expect(requestsHeld(memory, 1000)).toBe(Math.floor(memory.tokens / 1008))
})
