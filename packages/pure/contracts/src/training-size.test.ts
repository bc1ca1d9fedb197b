import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { readBatch, readSequence } from './training-size.ts'

test.each([
  ['8192', 8192],
  ['8,192', 8192],
  ['8k', 8192],
  ['4K', 4096],
  ['8 k tokens', 8192],
  ['8Ki', 8192],
  ['32K', 32_768],
  ['128k', 131_072],
  ['1.5k', 1536],
  ['1M', 1_048_576],
  ['8000 tokens', 8000],
])('a sequence of %s is %d tokens', (text, tokens) => {
  expect(readSequence(text)).toEqual({ ok: true, value: tokens })
})

test.each(['', '0', '-8k', '8.3k', '8kB', '8B', 'long', '1e9'])('"%s" is no length', (text) => {
  expect(readSequence(text)).toMatchObject({ ok: false, reason: expect.stringContaining('such as 8192, or 8k (8,192)') })
})

test.each([
  ['1024', 1024],
  ['1,024', 1024],
  ['4M tokens', '4M tokens'],
  ['4194304 tokens', '4194304 tokens'],
])('a batch of %s', (text, value) => {
  expect(readBatch(text)).toEqual({ ok: true, value })
})

test.each([
  ['4M', 'Did you mean "4M tokens"?'],
  ['2k', 'Did you mean "2k tokens"?'],
  ['0', 'at least 1'],
  ['0 tokens', 'more than zero'],
  ['many', 'such as 1024, or tokens such as "4M tokens"'],
  ['4 MB', 'such as 1024, or tokens such as "4M tokens"'],
])('a batch of "%s" is refused', (text, reason) => {
  expect(readBatch(text)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) })
})

property.prop([fc.integer({ min: 1, max: 4096 })])('k is 1,024 tokens of sequence, with and without a space', (thousands) => {
  expect(readSequence(`${thousands}k`)).toEqual({ ok: true, value: 1024 * thousands })
  expect(readSequence(`${thousands} K`)).toEqual(readSequence(String(1024 * thousands)))
})
