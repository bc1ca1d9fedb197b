import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { components } from './components.ts'
import { bandKeys, SIGNATURE_SHAPE, signature } from './signature.ts'
import { wordHashes } from './words.ts'

/** A stream of 32-bit numbers from a seed. */
function randomStream(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let z = Math.imul(state ^ (state >>> 15), 1 | state)
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z
    return (z ^ (z >>> 14)) >>> 0
  }
}

const hashesOf = (text: string): number[] => [...wordHashes(text)]

const VOCABULARY = Array.from({ length: 4096 }, (_, i) => `w${i}`)

/** Two texts that share their beginning, with shingles (union) and similarity as asked. */
function pairOfTexts(random: () => number, { union, similarity }: { union: number; similarity: number }): readonly [string, string] {
  const words = (count: number): string => Array.from({ length: count }, () => VOCABULARY[random() >>> 20]).join(' ')
  const shared = Math.round(union * similarity)
  const rest = Math.round((union - shared) / 2)
  const beginning = words(shared + SIGNATURE_SHAPE.shingleWords - 1)
  return [`${beginning} ${words(rest)}`, `${beginning} ${words(rest)}`]
}

/** The Jaccard similarity, by comparing the shingles themselves. */
function bruteForceSimilarity([a, b]: readonly [string, string]): number {
  const shingles = (text: string): Set<string> => {
    const words = text.split(' ')
    return new Set(words.slice(4).map((_, i) => words.slice(i, i + 5).join(' ')))
  }
  const left = shingles(a)
  const right = shingles(b)
  const both = left.intersection(right).size
  return both / (left.size + right.size - both)
}

const shareKey = ([a, b]: readonly [string, string]): boolean => {
  const keys = new Set(bandKeys(signature(a)))
  return bandKeys(signature(b)).some((key) => keys.has(key))
}

describe('words', () => {
  test.each([
    ['case and punctuation do not matter', 'Don’t STOP, here!', "don't... stop (here)"],
    ['composed and decomposed accents are the same', 'caf\u00e9 cre\u0300me', 'cafe\u0301 cr\u00e8me'],
    ['lines and tabs are spaces', 'one\r\ntwo\tthree', 'one two three'],
    ['Cyrillic and Greek have case', 'МОСКВА ΑΘΗΝΑ', 'москва αθηνα'],
  ])('%s', (_, a, b) => {
    expect(hashesOf(a)).toEqual(hashesOf(b))
    expect(hashesOf(a).length).toBeGreaterThan(0)
  })

  test.each([
    ["Don't stop", 3],
    ['snake_case is 1 word', 4],
    ['日本語です', 5],
    ['ภาษาไทย', 7],
    ['हिन्दी भाषा', 2],
    ['𠮷野家 𝒜𝒷𝒸', 4],
    ['👩‍👩‍👧 ... \ud800', 0],
    ['', 0],
  ])('%j has %i words', (text, count) => expect(hashesOf(text)).toHaveLength(count))

  test('other words have other hashes', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => i.toString(36))
    expect(new Set(hashesOf(words.join(' '))).size).toBe(words.length)
  })
})

describe('signature', () => {
  test('depends on the set of shingles, not on how often or where they stand', () => {
    const words = 'a b c d e f g h i j k l m n o p'
    expect(signature(`${words} ${words} ${words}`)).toEqual(signature(`${words} ${words}`))
  })

  test('a text with fewer words than a shingle is one shingle', () => {
    expect(signature('Two words')).toEqual(signature('two, words!'))
    expect(signature('two words')).not.toEqual(signature('words two'))
    expect(signature('two words')).toHaveLength(112)
  })

  test('a text without words has no keys, so it is like no other', () => {
    expect(signature('... !')).toHaveLength(0)
    expect(bandKeys(signature('... !'))).toHaveLength(0)
  })

  test.each([1, 3, 20, 100, 2_000])('no bin is empty with %i shingles', (count) => {
    const random = randomStream(count)
    const text = Array.from({ length: count + 4 }, () => random().toString(36)).join(' ')
    expect(new Set(signature(text)).size).toBe(112)
    expect(signature(text)).not.toContain(0xffffffff)
  })

  test('is the same in every release: signatures are stored', () => {
    const bins = signature('the quick brown fox jumps over the lazy dog')
    expect([...bins.subarray(0, 4)]).toEqual([3530622016, 2470119466, 1649541225, 2832204650])
    expect(bandKeys(bins)[0]).toBe(2839538025889292504n)
  })
})

describe('recall', () => {
  // 2,000 pairs: the standard error of a recall is at most 0.011.
  const PAIRS = 2_000
  const { bands, rows } = SIGNATURE_SHAPE
  test.each([
    [0.5, 120],
    [0.6, 120],
    [0.7, 120],
    [0.8, 120],
    [0.9, 120],
    [0.7, 400],
    [0.8, 30],
    [0.7, 20],
  ])('at similarity %f with %i shingles is what the law says', { timeout: 120_000 }, (similarity, union) => {
    const random = randomStream(union + similarity * 1e6)
    const exact = bruteForceSimilarity(pairOfTexts(random, { union, similarity }))
    expect(exact).toBeCloseTo(similarity, 1)
    let found = 0
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const texts = pairOfTexts(random, { union, similarity })
      if (pair % 100 === 0) expect(bruteForceSimilarity(texts)).toBeCloseTo(exact, 2)
      found += shareKey(texts) ? 1 : 0
    }
    const law = 1 - (1 - exact ** rows) ** bands
    expect(Math.abs(found / PAIRS - law)).toBeLessThan(0.02)
  })

  test('texts that share nothing share no key', () => {
    const random = randomStream(5)
    const keys = new Set<bigint>()
    for (let i = 0; i < 500; i += 1)
      for (const key of bandKeys(signature(pairOfTexts(random, { union: 20, similarity: 0 })[0]))) keys.add(key)
    expect(keys.size).toBe(500 * bands)
  })
})

describe('components', () => {
  test('keeps the smallest of each component', () => {
    expect([...components(7, [Uint32Array.of(5, 3, 6, 4), Uint32Array.of(3, 1)])]).toEqual([0, 1, 2, 1, 4, 1, 4])
    expect([...components(3, [])]).toEqual([0, 1, 2])
  })

  const somePairs = fc.array(fc.tuple(fc.nat(39), fc.nat(39)), { maxLength: 60 })

  property.prop([somePairs, fc.nat(60)])('does not depend on order, direction or chunks', (pairs, cut) => {
    const forward = components(40, [Uint32Array.from(pairs.flat())])
    const backward = pairs.toReversed().map(([a, b]) => [b, a])
    const chunks = [backward.slice(0, cut), backward.slice(cut)].map((chunk) => Uint32Array.from(chunk.flat()))
    expect(components(40, chunks)).toEqual(forward)
  })

  property.prop([somePairs])('joins what a search over the pairs reaches, and nothing else', (pairs) => {
    const kept = components(40, [Uint32Array.from(pairs.flat())])
    for (let start = 0; start < 40; start += 1) {
      const reached = new Set([start])
      for (let size = 0; size !== reached.size;) {
        size = reached.size
        for (const [a, b] of pairs) {
          if (reached.has(a)) reached.add(b)
          if (reached.has(b)) reached.add(a)
        }
      }
      expect(kept[start]).toBe(Math.min(...reached))
    }
  })
})
