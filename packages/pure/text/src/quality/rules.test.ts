import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { c4Text } from './c4.ts'
import { repetition } from './repetition.ts'
import { QUALITY_RULE_SETS, type QualityRuleName, type QualityRuleSet, qualityFault } from './rules.ts'
import { scan } from './scan.ts'

const GOOD = [
  'On Monday the ships that have sailed with the wind came to the harbour of the old town and were counted.',
  'Nobody in the customs house wanted to be first, so a clerk drew lots while rain fell on crates of oranges.',
  'By evening most captains had paid their fees; two refused, and their sails were locked in a stone shed.',
  'The market opened late. Bread was dear, fish was cheap, and children sold paper boats along the quay.',
  'After dark a storm broke the northern wall, which masons had repaired only the previous summer.',
].join('\n')

const repeated = (part: string, count: number): string => part.repeat(count)
const numbered = (count: number, part: (i: number) => string): string => Array.from({ length: count }, (_, i) => part(i)).join('\n')

const rows: readonly (readonly [QualityRuleSet, QualityRuleName, string, number])[] = [
  ['gopher-quality', 'gopher-words', 'too short, really.', 3],
  ['gopher-quality', 'gopher-mean-word-length', repeated('a b ', 40), 1],
  ['gopher-quality', 'gopher-hashes-per-word', repeated('label #other ', 40), 1 / 3],
  ['gopher-quality', 'gopher-ellipses-per-word', repeated('more... ', 60), 0.5],
  ['gopher-quality', 'gopher-bullet-lines', repeated(' - one item of those\n', 20), 1],
  ['gopher-quality', 'gopher-ellipsis-lines', repeated('reading further, and further still...\nthis is where the story ends.\n', 10), 0.5],
  ['gopher-quality', 'gopher-words-with-letters', repeated('1234 word ', 40), 0.5],
  ['gopher-quality', 'gopher-stop-words', repeated('the ships sail ', 40), 1],
  ['gopher-repetition', 'gopher-repeated-paragraphs', 'one\n\none\n\ntwo', 1 / 3],
  ['gopher-repetition', 'gopher-repeated-paragraph-characters', `a\n\nb\n\nc\n\n${repeated('d', 40)}\n\n${repeated('d', 40)}`, 40 / 91],
  ['gopher-repetition', 'gopher-repeated-lines', 'one\none\ntwo', 1 / 3],
  ['gopher-repetition', 'gopher-repeated-line-characters', `a\nb\nc\n${repeated('d', 40)}\n${repeated('d', 40)}`, 40 / 87],
  ['gopher-repetition', 'gopher-most-common-2-words', 'of it a b of it c d of it', 15 / 25],
  [
    'gopher-repetition',
    'gopher-most-common-3-words',
    `as far as ${'lorem ipsum dolor sit amet consect as far as adipiscing elit'} ok so`,
    18 / 76,
  ],
  ['gopher-repetition', 'gopher-repeated-5-words', `${GOOD}\nIn short: ${GOOD.slice(0, 208).replace('\n', ' ')}`, 0.21],
  ['c4', 'c4-lorem-ipsum', `${GOOD}\nLorem Ipsum dolor.`, 1],
  ['c4', 'c4-curly-brackets', `${GOOD}\nif (a) { b; } it is code.`, 1],
  ['c4', 'c4-sentences', 'One sentence is here. Another one is there.\nThis line does not end', 2],
  ['c4-any-line-end', 'c4-any-line-end-lorem-ipsum', `${GOOD}\nLorem ipsum dolor`, 1],
  ['c4-any-line-end', 'c4-any-line-end-curly-brackets', `${GOOD}\nif (a) { b }`, 1],
  ['c4-any-line-end', 'c4-any-line-end-sentences', 'One sentence is here. Another one is there.\nThis line does not end', 3],
  ['fineweb', 'fineweb-lines-with-end', repeated('an entry of the menu\nanother one\n', 5), 0],
  ['fineweb', 'fineweb-short-lines', repeated('Short.\n', 5), 1],
  ['fineweb', 'fineweb-repeated-characters', `${GOOD}\n${GOOD.split('\n')[3]}`, 101 / 610],
  ['fineweb', 'fineweb-lines-per-word', numbered(20, (i) => `${repeated('x', 40)}${i}.`), 19 / 40],
]

describe('qualityFault', () => {
  test('prose passes every rule', () => expect(qualityFault(GOOD)).toBeUndefined())

  test.each(rows)('%s: %s fails with what was measured', (ruleSet, rule, text, measured) => {
    const fault = qualityFault(text, [ruleSet])
    expect(fault?.rule).toBe(rule)
    expect(fault?.measured).toBeCloseTo(measured, 2)
  })

  test('only the sets that are asked for count, the first fault is returned', () => {
    expect(qualityFault('too short', [])).toBeUndefined()
    expect(qualityFault('too short', ['fineweb', 'gopher-quality'])?.rule).toBe('fineweb-lines-with-end')
    expect(qualityFault('too short', ['gopher-stop-words'])?.measured).toBe(0)
    expect(qualityFault('too short', ['gopher-quality'])).toEqual({ rule: 'gopher-words', measured: 2, least: 50, most: 100_000 })
  })

  test.each(['', '\n', ' \n\t\n', '\r\n\r\n', '…', '\ud800', '{', '日本語です。', '\u0000'.repeat(100)])(
    '%j fails and does not throw',
    (text) => {
      for (const ruleSet of QUALITY_RULE_SETS) expect(qualityFault(text, [ruleSet])?.measured ?? 0).not.toBeNaN()
      expect(qualityFault(text)).toBeDefined()
    },
  )

  test('line breaks of Windows change nothing', () => {
    const windows = GOOD.replaceAll('\n', '\r\n')
    for (const ruleSet of QUALITY_RULE_SETS) expect(qualityFault(windows, [ruleSet])).toBeUndefined()
  })
})

describe('tokens', () => {
  test.each([
    ['one two', 2, 2],
    ["don't", 2, 2],
    ['well-known utf-8 --all -x', 6, 5],
    ['3.14 1,000 a,b', 5, 4],
    ['an e-mail: jane@example.org.', 7, 4],
    ['see https://example.org now', 3, 3],
    ['wait... (what?)', 6, 2],
    ['© 2026', 2, 2],
    ['a----b', 2, 2],
  ])('%j has %i tokens, %i of them words', (text, tokens, words) => expect(scan(text)).toMatchObject({ tokens, words }))

  property.prop([
    fc.array(fc.string({ unit: fc.constantFrom('a', '1', '.', '-', ' ', "'", ',', ':', '/', '\n', 'é', '日') }), { maxLength: 20 }),
  ])('every character that is not white space is in one token', (parts) => {
    const { tokens, characters } = scan(parts.join(''))
    expect(characters[tokens]).toBe(parts.join('').replaceAll(/\s/g, '').length)
  })

  test('a text longer than a block is scanned like its parts', () => {
    const line = 'a b c.\n'
    expect(scan(line.repeat(10_000))).toMatchObject({ tokens: 40_000, words: 30_000 })
    expect(scan(line.trim().repeat(10_000)).tokens).toBe(20_002)
  })
})

const someWords = fc.array(fc.constantFrom('a', 'bb', 'ccc', 'dddd', 'e'), { minLength: 1, maxLength: 60 })
const length = (words: readonly string[]): number => words.join('').length

function bruteForceMostCommon(words: readonly string[], n: number): number {
  const runs = words.slice(n - 1).map((_, i) => words.slice(i, i + n).join(' '))
  const counts = new Map<string, number>()
  for (const run of runs) counts.set(run, (counts.get(run) ?? 0) + 1)
  const most = Math.max(0, ...counts.values())
  const first = [...counts].find(([, count]) => count === most)
  return first === undefined ? 0 : first[0].length * most
}

function bruteForceRepeated(words: readonly string[], n: number): number {
  const seenRuns = new Set<string>()
  let characters = 0
  for (let i = 0; i + n <= words.length;) {
    const run = words.slice(i, i + n)
    const isRepeated = seenRuns.has(run.join(' '))
    if (isRepeated) characters += length(run)
    else seenRuns.add(run.join(' '))
    i += isRepeated ? n : 1
  }
  return characters
}

describe('repetition', () => {
  property.prop([someWords])('is what comparing all runs says', (words) => {
    const text = words.join(' ')
    for (const n of [2, 3, 4]) expect(repetition(scan(text)).mostCommon(n, 0)).toBeCloseTo(bruteForceMostCommon(words, n) / text.length, 9)
    for (const n of [5, 6, 7, 8, 9, 10])
      expect(repetition(scan(text)).repeated(n, 0)).toBeCloseTo(bruteForceRepeated(words, n) / text.length, 9)
  })

  property.prop([someWords, fc.double({ min: 0, max: 1, noNaN: true })])('is on the right side of any limit', (words, limit) => {
    const text = words.join(' ')
    const found = repetition(scan(text))
    for (const n of [2, 3, 4]) expect(found.mostCommon(n, limit) > limit).toBe(bruteForceMostCommon(words, n) / text.length > limit)
    for (const n of [5, 7, 10]) expect(found.repeated(n, limit) > limit).toBe(bruteForceRepeated(words, n) / text.length > limit)
  })
})

describe('c4Text', () => {
  test.each([
    ['no end of sentence', 'A line without an end'],
    ['an ellipsis', 'This line goes on...'],
    ['fewer than three words', 'Two words.'],
    ['JavaScript', 'Please enable JavaScript to see it.'],
    ['a policy', 'This site uses cookies for you.'],
    ['a word of more than 1,000 characters', `This is ${'x'.repeat(1001)} here.`],
  ])('a line with %s goes', (_, line) =>
    expect(c4Text(`First line stays.\n  ${line}\nThird line stays!`)).toBe('First line stays.\nThird line stays!'),
  )

  test('citations go, their lines stay', () => expect(c4Text('It is so.[12] Or not[citation needed].[edit]')).toBe('It is so. Or not.'))

  test('any end of a line may be allowed', () => {
    expect(c4Text('A line without an end\nTwo words', { anyLineEnd: true })).toBe('A line without an end')
  })
})
