import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import type { Mask } from './architecture.ts'
import { keysKept, keysRead, visiblePairs } from './visible-keys.ts'

const small = fc.integer({ min: 1, max: 40 })
const masks = fc.oneof(
  fc.constant<Mask>({ kind: 'causal' }),
  fc.constant<Mask>({ kind: 'bidirectional' }),
  small.map((window): Mask => ({ kind: 'sliding', window })),
  small.map((chunk): Mask => ({ kind: 'chunked', chunk })),
)

/** Whether the query at a position sees the key at another, both counted from 0. */
function sees(mask: Mask, query: number, key: number): boolean {
  if (mask.kind === 'bidirectional') return true
  if (key > query) return false
  if (mask.kind === 'sliding') return query - key < mask.window
  return mask.kind === 'chunked' ? Math.floor(query / mask.chunk) === Math.floor(key / mask.chunk) : true
}

property.prop([masks, small, fc.nat(60)])('closed forms equal counting one by one', (mask, queries, context) => {
  let pairs = 0
  const touched = new Set<number>()
  for (let query = context; query < context + queries; query += 1) {
    for (let key = 0; key < context + queries; key += 1) {
      if (!sees(mask, query, key)) continue
      pairs += 1
      touched.add(key)
    }
  }
  const span = { queries, context, source: 0 }
  expect(visiblePairs(mask, span)).toBe(pairs)
  expect(keysRead(mask, span)).toBe(touched.size)
})

property.prop([masks, small, fc.nat(60)])('chunks of a prompt add up to the whole prompt', (mask, first, second) => {
  fc.pre(mask.kind !== 'bidirectional')
  const whole = visiblePairs(mask, { queries: first + second, context: 0, source: 0 })
  const parts =
    visiblePairs(mask, { queries: first, context: 0, source: 0 }) + visiblePairs(mask, { queries: second, context: first, source: 0 })
  expect(parts).toBe(whole)
})

test('a cache keeps what the next token may see', () => {
  expect(keysKept({ kind: 'sliding', window: 4096 }, { tokens: 9000, source: 0 })).toBe(4096)
  expect(keysKept({ kind: 'sliding', window: 4096 }, { tokens: 100, source: 0 })).toBe(100)
  expect(keysKept({ kind: 'chunked', chunk: 8192 }, { tokens: 1e6, source: 0 })).toBe(8192)
  expect(keysKept({ kind: 'cross' }, { tokens: 5, source: 70 })).toBe(70)
  expect(keysKept({ kind: 'bidirectional' }, { tokens: 5, source: 0 })).toBe(0)
})
