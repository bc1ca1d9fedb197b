import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { bodyShape, MAX_CONTAINERS, MAX_DEPTH, MAX_MEMBERS, MAX_VALUES } from './body-shape.ts'

const shapeOf = (text: string) => bodyShape(Buffer.from(text))
const nest = (depth: number, [open, close]: readonly [string, string]): string => open.repeat(depth) + close.repeat(depth)

describe('the shape of a body', () => {
  for (const [name, text, problem] of [
    ['lists as deep as allowed', nest(MAX_DEPTH, ['[', ']']), undefined],
    ['lists one deeper', nest(MAX_DEPTH + 1, ['[', ']']), 'nested deeper'],
    ['objects one deeper', `${'{"a":'.repeat(MAX_DEPTH + 1)}1${'}'.repeat(MAX_DEPTH + 1)}`, 'nested deeper'],
    ['brackets in a string', JSON.stringify({ a: '['.repeat(1000) }), undefined],
    ['brackets behind an escaped quote', JSON.stringify({ a: `"${'['.repeat(1000)}` }), undefined],
    ['brackets behind an escaped backslash that ends a string', `{"a":"\\\\","b":${nest(MAX_DEPTH, ['[', ']'])}}`, 'nested deeper'],
    ['a long string with escapes late in it', JSON.stringify({ a: `${'x'.repeat(500)}"\\"[[`.repeat(300) }), undefined],
    ['as many values as allowed', `[${'1,'.repeat(MAX_VALUES)}1]`, undefined],
    ['one value more', `[${'1,'.repeat(MAX_VALUES + 1)}1]`, 'values'],
    ['too many small objects', `[${'{},'.repeat(MAX_CONTAINERS)}1]`, 'lists and objects'],
    ['an object that is too wide', `{${Array.from({ length: MAX_MEMBERS + 1 }, (_, index) => `"${index}":1`).join(',')}}`, 'fields'],
  ] as const)
    test(name, () => {
      if (problem === undefined) expect(shapeOf(text)).toHaveProperty('fields')
      else expect(shapeOf(text)).toEqual({ problem: expect.stringContaining(problem) })
    })

  test('a field that is given twice is counted twice', () => {
    expect(shapeOf('{"a":1,"a":{"b":2,"c":[":"]},"d":"a:b"}')).toEqual({ fields: 3 })
  })

  test('4 MiB of escapes take no longer than other text: the event loop belongs to everybody', () => {
    const body = Buffer.from(`{"a":"${'\\n'.repeat(2 ** 21)}"}`)
    const began = performance.now()
    expect(bodyShape(body)).toEqual({ fields: 1 })
    // 15 ms on an idle core; several seconds when every escape starts the search for the end again.
    expect(performance.now() - began).toBeLessThan(500)
  })

  property.prop([fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 8 }))])(
    'counts the fields of any object as the parser does',
    (value) => {
      expect(shapeOf(JSON.stringify(value))).toEqual({ fields: Object.keys(value).length })
      expect(shapeOf(JSON.stringify(value, null, 2))).toEqual({ fields: Object.keys(value).length })
    },
  )
})
