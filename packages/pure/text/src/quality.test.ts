import { expect, test } from 'vitest'
import { QUALITY_RULES, type QualityRuleName, qualityFault } from './quality.ts'

const sentence = (i: number): string =>
  `On day ${i} the ships that have sailed with the wind came to the harbour of the old town and were counted.`
const GOOD = Array.from({ length: 6 }, (_, i) => sentence(i)).join('\n')

test('prose passes every rule', () => expect(qualityFault(GOOD)).toBeUndefined())

const rows: readonly (readonly [QualityRuleName, string, number])[] = [
  ['gopher-words', 'too short', 2],
  ['gopher-mean-word-length', 'a b '.repeat(40), 1],
  ['gopher-hashes-per-word', 'tag #tag '.repeat(40), 0.5],
  ['gopher-ellipses-per-word', 'more... '.repeat(40), 1],
  ['gopher-bullet-lines', '- item\n'.repeat(10), 1],
  ['gopher-ellipsis-lines', 'read on...\nthe end.\n'.repeat(5), 0.5],
  ['gopher-words-with-letters', '1234 word '.repeat(40), 0.5],
  ['gopher-stop-words', 'the ships sail '.repeat(40), 1],
  ['c4-lorem-ipsum', 'Lorem Ipsum dolor', 1],
  ['c4-curly-brackets', 'if (a) { b }', 1],
  ['fineweb-lines-with-end', 'a menu\nanother entry\n'.repeat(5), 0],
  ['fineweb-short-lines', 'Short.\n'.repeat(5), 1],
  ['fineweb-repeated-characters', `${'x'.repeat(49)}\n${'x'.repeat(49)}\n`, 0.49],
]

test('every rule has a row', () => expect(rows.map(([rule]) => rule)).toEqual(Object.keys(QUALITY_RULES)))

test.each(rows)('%s fails with what was measured', (rule, text, measured) => {
  expect(qualityFault(text, [rule])).toMatchObject({ rule, measured })
  expect(qualityFault(GOOD, [rule])).toBeUndefined()
})

test('only the rules that are asked for count, the first fault is returned', () => {
  expect(qualityFault('too short', ['c4-lorem-ipsum'])).toBeUndefined()
  expect(qualityFault('lorem ipsum', ['c4-lorem-ipsum', 'gopher-words'])?.rule).toBe('c4-lorem-ipsum')
})
