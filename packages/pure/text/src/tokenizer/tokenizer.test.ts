import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { hostileTexts } from './hostile-texts.fixture.ts'
import { createTokenizer } from './tokenizer.ts'
import { BYTE_CHARACTERS, utf8Bytes } from './utf8.ts'

const LLAMA3 = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

const PROSE = 'the cat sat on the mat and the other cat sat on the other mat that the cats had had there before then'

/** Byte pair encoding learned the slow way: count all pairs, join the most frequent, start again. */
function trained(
  alphabet: readonly string[],
  words: readonly (readonly string[])[],
  count: number,
): { vocab: Record<string, number>; merges: string[] } {
  const vocab: Record<string, number> = Object.fromEntries(alphabet.map((character, id) => [character, id]))
  const merges: string[] = []
  let current = words.map((word) => [...word])
  for (let step = 0; step < count; step += 1) {
    const pairs = new Map<string, number>()
    for (const word of current)
      for (let i = 0; i + 1 < word.length; i += 1) pairs.set(`${word[i]} ${word[i + 1]}`, (pairs.get(`${word[i]} ${word[i + 1]}`) ?? 0) + 1)
    const [best] = [...pairs].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    if (best === undefined) break
    merges.push(best[0])
    vocab[best[0].replace(' ', '')] ??= alphabet.length + step
    current = current.map((word) => joined(word, best[0]))
  }
  return { vocab, merges }
}

/** All places of a pair in a word, joined from the left. */
function joined(word: readonly string[], pair: string): string[] {
  const out: string[] = []
  for (let i = 0; i < word.length; i += 1) {
    if (`${word[i]} ${word[i + 1]}` === pair) out.push(`${word[i]}${word[++i]}`)
    else out.push(word[i] as string)
  }
  return out
}

const byteWord = (word: string): string[] => utf8Bytes(word).map((byte) => BYTE_CHARACTERS[byte] as string)
const byteModel = trained(BYTE_CHARACTERS, PROSE.split(/(?= )/).map(byteWord), 60)

const special = { id: 1000, content: '<|end|>', single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
const byteFile = {
  added_tokens: [special, { ...special, id: 1001, content: '<|end|>!' }],
  normalizer: null,
  pre_tokenizer: {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Split', pattern: { Regex: LLAMA3 }, behavior: 'Isolated', invert: false },
      { type: 'ByteLevel', add_prefix_space: false, use_regex: false },
    ],
  },
  decoder: { type: 'ByteLevel' },
  model: { type: 'BPE', ...byteModel },
}

const letters = [...new Set(`▁${PROSE.replaceAll(' ', '')}`)]
const fallback = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
const spaceModel = trained(
  ['<unk>', ...fallback, ...letters],
  PROSE.split(' ').map((word) => [...`▁${word}`]),
  40,
)
const spaceFile = {
  added_tokens: [{ ...special, id: 2 + 1000 }],
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Prepend', prepend: '▁' },
      { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    ],
  },
  decoder: {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ],
  },
  model: { type: 'BPE', ...spaceModel, byte_fallback: true, fuse_unk: true, unk_token: '<unk>' },
}

const text = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** The definition, step by step: the pair of the lowest rank everywhere in the word, until none is left. */
function slowIds(word: string, { vocab, merges }: typeof byteModel): number[] {
  let symbols = byteWord(word)
  for (;;) {
    const best = merges.find((pair) => joined(symbols, pair).length < symbols.length)
    if (best === undefined) return symbols.map((symbol) => vocab[symbol] as number)
    symbols = joined(symbols, best)
  }
}

describe('byte-level', () => {
  const tokenizer = createTokenizer(byteFile)

  test.each([...hostileTexts()])('%s comes back byte by byte', (_, value) => {
    expect(text(tokenizer.decode(tokenizer.encode(value)))).toBe(value.toWellFormed())
  })

  property.prop([fc.string({ unit: fc.constantFrom('t', 'h', 'e', 'a', 'c'), minLength: 1, maxLength: 90 })])(
    'a word has the tokens that the definition gives, short or long',
    (word) => {
      expect([...tokenizer.encode(word)]).toEqual(slowIds(word, byteModel))
    },
  )

  test('of added tokens that begin at one place the longest is taken', () => {
    expect([...tokenizer.encode('<|end|>!<|end|>')]).toEqual([1001, 1000])
  })

  test('the second time, from the cache, the tokens are the same', () => {
    expect(tokenizer.encode(PROSE)).toEqual(tokenizer.encode(PROSE))
    expect(tokenizer.encode(PROSE)).toEqual(createTokenizer(byteFile).encode(PROSE))
  })

  test('100 kB of one letter takes less than a second', () => {
    const started = process.cpuUsage().user
    expect(tokenizer.encode('t'.repeat(100_000)).length).toBeGreaterThan(1_000)
    expect((process.cpuUsage().user - started) / 1e6).toBeLessThan(1)
  })

  test('merges written as pairs mean the same', () => {
    const pairs = { ...byteFile, model: { ...byteFile.model, merges: byteModel.merges.map((merge) => merge.split(' ')) } }
    expect(createTokenizer(pairs).encode(PROSE)).toEqual(tokenizer.encode(PROSE))
  })

  test('with ignore_merges a piece that is a token stays whole', () => {
    const vocab = { ...byteModel.vocab, zebra: 900 }
    const whole = createTokenizer({ ...byteFile, model: { ...byteFile.model, vocab, ignore_merges: true } })
    expect([...whole.encode('zebra')]).toEqual([900])
    expect(tokenizer.encode('zebra').length).toBeGreaterThan(1)
  })

  test.each([
    ['NFC joins accents', { normalizer: { type: 'NFC' } }, 'e\u0301', '\u00e9'],
    ['a prefix space is added once', { pre_tokenizer: { type: 'ByteLevel', add_prefix_space: true } }, 'the', ' the'],
  ])('%s', (_, change, a, b) => {
    const changed = createTokenizer({ ...byteFile, ...change })
    expect(changed.encode(a)).toEqual(changed.encode(b))
    expect(tokenizer.encode(a)).not.toEqual(tokenizer.encode(b))
  })
})

describe('pieces', () => {
  const vocab = { a: 0, 1: 1, aa: 2, 11: 3, '▁': 4, '▁a': 5 }
  const model = { type: 'BPE', vocab, merges: ['a a', '1 1', '▁ a'] }
  const ids = (pre_tokenizer: object, value: string): number[] => [...createTokenizer({ model, pre_tokenizer }).encode(value)]

  test.each([
    ['single digits', { type: 'Digits', individual_digits: true }, 'aa11', [2, 1, 1]],
    ['runs of digits', { type: 'Digits', individual_digits: false }, 'aa11', [2, 3]],
    ['matches removed', { type: 'Split', pattern: { String: '1' }, behavior: 'Removed' }, 'a1a', [0, 0]],
    ['all but matches removed', { type: 'Split', pattern: { Regex: '1' }, behavior: 'Removed', invert: true }, 'a1a1', [1, 1]],
    ['matches with what is before', { type: 'Split', pattern: { String: '1' }, behavior: 'MergedWithPrevious' }, '1a11', [1, 0, 1, 1]],
    ['matches with what follows', { type: 'Split', pattern: { String: '▁' }, behavior: 'MergedWithNext' }, '▁▁a', [4, 5]],
    ['a mark before each word', { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' }, 'a a', [5, 5]],
    ['no mark before the first', { type: 'Metaspace', replacement: '▁', prepend_scheme: 'never' }, 'a a', [0, 5]],
  ])('%s', (_, pre, value, expected) => expect(ids(pre, value)).toEqual(expected))
})

describe('with marks for spaces', () => {
  const tokenizer = createTokenizer(spaceFile)

  test.each([...hostileTexts()])('%s comes back byte by byte, but for the marks', (_, value) => {
    const sections = value.toWellFormed()
    if (!sections.includes('<unk>')) expect(text(tokenizer.decode(tokenizer.encode(sections)))).toBe(sections.replaceAll('▁', ' '))
  })

  test('a character without a token becomes its bytes', () => {
    expect([...tokenizer.encode('é')].slice(1)).toEqual([1 + 0xc3, 1 + 0xa9])
  })

  test('text is cut at spaces only where no token goes over them', () => {
    const { vocab, merges } = spaceModel
    const across = {
      ...spaceFile,
      model: { ...spaceFile.model, vocab: { ...vocab, 't▁': 990, 't▁o': 991 }, merges: ['t ▁', 't▁ o', ...merges] },
    }
    expect([...createTokenizer(across).encode('cat on')]).toContain(991)
  })
})

describe('what is not supported is refused by name', () => {
  test.each([
    ['WordPiece', { ...byteFile, model: { ...byteFile.model, type: 'WordPiece' } }],
    ['Lowercase', { ...byteFile, normalizer: { type: 'Lowercase' } }],
    ['BertPreTokenizer', { ...byteFile, pre_tokenizer: { type: 'BertPreTokenizer' } }],
    ['CTC', { ...byteFile, decoder: { type: 'CTC' } }],
    ['lstrip', { ...byteFile, added_tokens: [{ ...special, lstrip: true }] }],
    ['dropout', { ...byteFile, model: { ...byteFile.model, dropout: 0.1 } }],
    ['xyzzy', { ...byteFile, model: { ...byteFile.model, merges: ['xyz zy'] } }],
    ['cannot be read', { ...byteFile, pre_tokenizer: { type: 'Split', pattern: { Regex: '(' }, behavior: 'Isolated' } }],
  ])('%s', (name, file) => expect(() => createTokenizer(file)).toThrow(name === 'xyzzy' ? 'xyz' : name))

  test('a token that is not there cannot be decoded', () => {
    expect(() => createTokenizer(byteFile).decode([99_999])).toThrow('99999')
  })
})
