// Python decodes alike: python/tests/test_data_text.py reads the same vectors.

import { describe, expect, test } from 'vitest'
import vectors from './decoder-vectors.json' with { type: 'json' }
import { createDecoder } from './tokenizer.ts'

describe.each(vectors.cases)('$name', ({ file, decoded, unknown }) => {
  const decode = createDecoder(file)

  test.each(decoded as [number[], string][])('%j is %j', (ids, text) => {
    expect(new TextDecoder().decode(decode(ids))).toBe(text)
  })

  test('an id without a token is named', () => {
    expect(() => decode([unknown])).toThrow(`there is no token ${unknown}`)
  })
})

test.each(vectors.refused)('$name is refused', ({ file }) => {
  expect(() => createDecoder(file)).toThrow(/^tokenizer\.json/)
})
