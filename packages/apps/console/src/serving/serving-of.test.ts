import { builtInCatalog } from '@ironlaw/catalog'
import { expect, test } from 'vitest'
import { stateOf } from '../address.ts'
import { SERVING } from './question.ts'
import { servingRequestFor } from './serving-of.ts'

const requestOf = (query: string) => servingRequestFor(builtInCatalog, stateOf(SERVING, new URLSearchParams(query))).wanted

test('every mechanism of the controls reaches the planner', () => {
  const request = requestOf(
    'model=meta-llama%2FLlama-3.1-8B&speculation=eagle3&drafted=4&adapters=16&adapterRank=32&offloadHost=64&cached=50&tensor=2&copies=2',
  )
  expect(request.speculation).toEqual({ method: 'eagle3', drafted: 4, acceptance: 0.71 })
  expect(request.adapters).toEqual({ count: 16, rank: 32, targets: ['attention', 'mlp'], activePerBatch: 16 })
  expect(request.offload).toEqual({ host_bytes: 64e9, drive_bytes: 0, reuseAfter_s: 300 })
  expect(request.layout).toEqual({ tensor: 2, data: 2 })
})

test('a draft has its own architecture', () => {
  const query = 'model=meta-llama%2FLlama-3.1-8B&speculation=draft&draft=meta-llama%2FLlama-3.2-1B&acceptance=70'
  const { speculation } = requestOf(query)
  expect([speculation?.draft?.name, speculation?.acceptance]).toEqual(['meta-llama/Llama-3.2-1B', 0.7])
})

test.each([
  ['speculation=mtp', 'has no layers that predict further tokens'],
  ['speculation=draft', 'name the model that drafts'],
  ['speculation=draft&draft=Qwen%2FQwen3-8B', 'a draft needs the same tokenizer'],
  ['speculation=eagle', 'no share of kept tokens is published'],
  ['offloadHost=64', 'no prompt comes back'],
  ['offloadHost=64&cached=50&split=only', 'tiers are planned for replicas that do prompts and tokens'],
])('%s is refused in words', (query, message) => {
  expect(() => requestOf(`model=meta-llama%2FLlama-3.1-8B&${query}`)).toThrow(message)
})
