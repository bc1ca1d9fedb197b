import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { wordHashes } from '../near-duplicates/words.ts'
import { withoutWords } from './cut.ts'
import { type Representative, representatives, windowHashes } from './windows.ts'

const few = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 120 }).map((words) => Int32Array.from(words))
const length = fc.integer({ min: 2, max: 20 })

function representedBy(words: Int32Array, window: number): Representative[] {
  const all: Representative[] = []
  representatives(words, window).forEach((run) => all.push(run))
  return all
}

describe('representatives', () => {
  test.prop([few, length])('stand for every window once, in order', (words, window) => {
    const ends = representedBy(words, window)
    let next = 0
    for (const { first, end } of ends) {
      expect(first).toBe(next)
      expect(end).toBeGreaterThan(first)
      next = end
    }
    expect(next).toBe(Math.max(0, words.length - window + 1))
  })

  test.prop([few, few, length])('of equal windows are equal, whatever is around them', (left, right, window) => {
    const middle = Int32Array.from({ length: window }, (_, i) => 7 + ((i * i) % 5))
    const of = (words: Int32Array, start: number): string =>
      representedBy(words, window)
        .filter(({ first, end }) => first <= start && start < end)
        .map(({ high, low }) => `${high} ${low}`)
        .join()
    const around = Int32Array.from([...left, ...middle, ...right])
    expect(of(around, left.length)).toBe(of(middle, 0))
  })

  test('are few: two of every half window', () => {
    const words = Int32Array.from({ length: 100_000 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(i >>> 3, 0x85ebca6b))
    const share = representedBy(words, 50).length / words.length
    expect(share).toBeGreaterThan(0.068)
    expect(share).toBeLessThan(0.08)
  })
})

test.prop([few, length])('windows have the same hash exactly where their words are equal', (words, window) => {
  const { count, highs, lows } = windowHashes(words, window)
  const byWords = new Map<string, string>()
  for (let start = 0; start < count; start += 1) {
    const key = words.slice(start, start + window).join(' ')
    const hash = `${highs[start]} ${lows[start]}`
    expect(byWords.get(key) ?? hash).toBe(hash)
    byWords.set(key, hash)
  }
  expect(new Set(byWords.values()).size).toBe(byWords.size)
})

describe('words that are cut out', () => {
  test('go with what separates them from the next word', () => {
    const text = 'One, two. (Three four!)\nFive  six…'
    expect(withoutWords(text, [{ from: 1, to: 3 }])).toEqual({ text: 'One, four!)\nFive  six…', words: 4, removed: 'two. (Three' })
    expect(withoutWords(text, [{ from: 4, to: 6 }]).text).toBe('One, two. (Three four!)\n')
    expect(withoutWords(text, [{ from: 0, to: 6 }])).toMatchObject({ text: '', words: 0 })
  })

  test.prop([fc.string({ unit: fc.constantFrom(...'aZé_9 .-\n漢ไİ'.split(''), 'e\u0301', '𝒳', '\ud800', '한') })])(
    'are counted as the words that are hashed',
    (text) => {
      expect(withoutWords(text, []).words).toBe(wordHashes(text).length)
    },
  )
})
