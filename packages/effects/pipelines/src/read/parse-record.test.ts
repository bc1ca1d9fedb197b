import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import { parseRecord } from './parse-record.ts'

const parse = (bytes: Buffer | string): unknown => parseRecord({ kind: 'line', bytes: Buffer.from(bytes as string) })

test.prop([fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 5 }))])(
  'every JSON object is read as JSON.parse reads it',
  (fields) => {
    const text = JSON.stringify(fields)
    expect(parse(text)).toEqual({ kind: 'fields', fields: JSON.parse(text) })
  },
)

test.prop([fc.uint8Array({ maxLength: 30 })])('no bytes make it throw', (bytes) => {
  expect(['fields', 'broken']).toContain(parseRecord({ kind: 'line', bytes: Buffer.from(bytes) }).kind)
})

test.each([
  ['', 'is not JSON: Unexpected end of JSON input'],
  ['{"a":1', /^is not JSON: /],
  ['{"a":1} {"b":2}', /^is not JSON: /],
  ["{'a':1}", /^is not JSON: /],
  ['{"a":NaN}', /^is not JSON: /],
  ['[1]', 'is not a JSON object but an array'],
  ['null', 'is not a JSON object but null'],
  ['"text"', 'is not a JSON object but a string'],
  ['7', 'is not a JSON object but a number'],
  [`{"a":${'['.repeat(100)}${']'.repeat(100)}}`, 'is nested deeper than 100 levels'],
  [`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'is nested deeper than 100 levels'],
])('a record is broken: %#', (text, reason) => {
  expect(parse(text)).toEqual({ kind: 'broken', reason: expect.stringMatching(reason) })
})

test('100 levels are read', () => {
  expect(parse(`{"a":${'['.repeat(99)}${']'.repeat(99)}}`)).toMatchObject({ kind: 'fields' })
})

test.each([
  [[0x7b, 0xff, 0x7d], 1],
  [[0xc3, 0xa9, 0xe9, 0x7d], 3],
  [[0x61, 0xc0, 0x80], 1],
  [[0x61, 0xed, 0xa0, 0x80], 2],
  [[0x61, 0x62, 0xe2, 0x82], 4],
])('bytes %j are broken at byte %i', (bytes, offset) => {
  expect(parse(Buffer.from(bytes))).toEqual({ kind: 'broken', reason: `is not UTF-8 at byte ${offset} of the record` })
})

test('a field called __proto__ is a field and changes no prototype', () => {
  const record = parseRecord({ kind: 'line', bytes: Buffer.from('{"__proto__":{"admin":true},"text":"a"}') })
  const fields = record.kind === 'fields' ? record.fields : {}
  expect(Object.keys(fields)).toEqual(['__proto__', 'text'])
  expect(fields['admin']).toBeUndefined()
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
})
