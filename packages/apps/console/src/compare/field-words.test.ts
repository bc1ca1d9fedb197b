import { expect, test } from 'vitest'
import { fieldWords, figureText } from './field-words.ts'

test.each([
  ['prediction.step_s', 'step'],
  ['prediction.causes_s.products', 'step: matrix products'],
  ['prediction.tokens_per_s_per_device', 'tokens per s per device'],
  ['prediction.ttft_s', 'TTFT'],
  ['prediction.tpot_low_s', 'TPOT, low end'],
  ['decision.tensor', 'tensor'],
  ['plan.decision.optimizerOn', 'optimizer on'],
  ['fleet.perNode', 'fleet: per node'],
  ['environment.MASTER_ADDR', 'environment: MASTER_ADDR'],
  ['plan', 'plan'],
])('%s', (path, words) => {
  expect(fieldWords(path)).toBe(words)
})

test.each([
  ['prediction.causes_s.products', 1.92, '1.92 s'],
  ['prediction.memory_bytes', 79.8e9, '79.8 GB'],
  ['prediction.cost_usd', 1_850_000, '$1.85M'],
  ['traffic.requests_per_s', 20, '20'],
  ['fleet.devices', 8000, '8,000'],
])('%s of %d', (path, value, text) => {
  expect(figureText(path, value)).toBe(text)
})
