import { expect, test } from 'vitest'
import { fieldValues } from './field-values.ts'

test.each([
  ['fleet.count=128..1024', 'fleet.count', [128, 256, 512, 1024]],
  ['sequence=4k..32k', 'sequence', [4096, 8192, 16_384, 32_768]],
  ['precision=bf16-mixed,fp8', 'precision', ['bf16-mixed', 'fp8']],
  ['fleet.count=8, 12,16', 'fleet.count', [8, 12, 16]],
  ['fleet.link=100 Gb/s per node,400 Gb/s', 'fleet.link', ['100 Gb/s per node', '400 Gb/s']],
])('%s', (text, path, values) => {
  expect(fieldValues(text)).toEqual({ path, values })
})

test.each(['fleet.link=fast', 'sequence=4x..8x', '=1..2', 'fleet.count=8..4'])('%s is neither a range nor a list', (text) => {
  expect(() => fieldValues(text)).toThrow('nor a list such as precision=bf16-mixed,fp8')
})
