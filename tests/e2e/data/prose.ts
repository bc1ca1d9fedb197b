// Text that looks like language, as bytes inside a JSON string: words drawn by Zipf's law, in sentences, in lines. Bytes are written word by word into
// a buffer of the caller, which is what makes hundreds of megabytes a second possible.

import { type Language, vocabularyOf } from './vocabulary.ts'

export type Style = {
  /** Fewest and most words of a sentence. */
  readonly sentence: readonly [number, number]
  readonly opening: string
  readonly closing: string
  /** Sentences of a line, about. */
  readonly line: number
  /** Words that are drawn: the usual ones, without function words, or numbers. */
  readonly words: 'usual' | 'rare' | 'numbers'
}

export const PROSE: Style = { sentence: [6, 24], opening: '', closing: '.', line: 5, words: 'usual' }

export type Prose = {
  readonly language: Language
  /** The same seed gives the same words. */
  readonly seed: number
  readonly words: number
  readonly style: Style
  /** Every so manieth word is another one, chosen by this seed. */
  readonly changes?: { readonly every: number; readonly seed: number }
}

/** A bijection of 32 bits in which each bit of the input changes half of the output. */
function scrambled(value: number): number {
  let h = value ^ (value >>> 16)
  h = Math.imul(h, 0x7feb352d)
  h ^= h >>> 15
  h = Math.imul(h, 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

/** One number of 32 bits from several. */
export const hashOf = (...values: readonly number[]): number =>
  values.reduce((hash, value) => scrambled(Math.imul(hash, 0x9e3779b1) + value), 0x5bd1e995)

type Pool = {
  /** Words with the space before them, each padded to whole numbers of four bytes: most are copied in three moves. */
  readonly quads: Int32Array
  /** Word i is from quads[starts[i]] on and has lengths[i] bytes; the same word with a capital and without the space is i + capitals. */
  readonly starts: Uint32Array
  readonly lengths: Uint8Array
  readonly capitals: number
  /** By 16 random bits: a word, or RARE for one of those from rareFrom on. */
  readonly table: Uint16Array
  readonly rareFrom: number
  readonly rareCount: number
  readonly spaced: boolean
}

const RARE = 0xffff
const MOST_RARE = 40_000
const FREQUENT_RARE = 12_000
const NUMBERS = 1_000
const MOVES = 3

const figure = (i: number): string => (i % 3 === 0 ? String(1500 + (i % 530)) : i % 3 === 1 ? String(i) : `${i % 97}.${i % 10}`)

/** Zipf's law with the usual offset. What is too rare for the table is drawn evenly from all rare words. */
function zipfTable(ranks: number): Uint16Array {
  const weights = Array.from({ length: ranks }, (_, rank) => (rank + 3.7) ** -1.05)
  const total = 1.04 * weights.reduce((sum, weight) => sum + weight, 0)
  const table = new Uint16Array(0x10000).fill(RARE)
  let sum = 0
  for (const [rank, weight] of weights.entries()) {
    const from = Math.round((sum / total) * 0x10000)
    sum += weight
    table.fill(rank, from, Math.round((sum / total) * 0x10000))
  }
  return table
}

function poolOf(language: Language): Pool {
  const { common, rare } = vocabularyOf(language, MOST_RARE)
  const spaced = language !== 'zh'
  const tail = [...rare, ...Array.from({ length: NUMBERS }, (_, i) => figure(i))]
  const words = [...common, ...tail]
  const both = [
    ...words.map((word) => (spaced ? ` ${word}` : word)),
    ...words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)),
  ]
  const starts = new Uint32Array(both.length)
  const lengths = new Uint8Array(both.length)
  const bytes = Buffer.alloc(4 * both.reduce((quads, word) => quads + word.length, 0))
  let at = 0
  for (const [i, word] of both.entries()) {
    starts[i] = at / 4
    const length = bytes.write(word, at)
    lengths[i] = length
    at += 4 * Math.ceil(length / 4)
  }
  const quads = new Int32Array(bytes.buffer, bytes.byteOffset, at / 4 + MOVES).slice()
  const table = zipfTable(Math.min(words.length, common.length + FREQUENT_RARE))
  return { quads, starts, lengths, capitals: words.length, table, rareFrom: common.length, rareCount: tail.length, spaced }
}

const pools = new Map<Language, Pool>()

function pool(language: Language): Pool {
  const known = pools.get(language) ?? poolOf(language)
  pools.set(language, known)
  return known
}

const encoded = new Map<string, Uint8Array>()

function bytesOf(text: string): Uint8Array {
  const known = encoded.get(text) ?? new Uint8Array(Buffer.from(text))
  encoded.set(text, known)
  return known
}

const SPACE = 0x20
/** As JSON writes it: a backslash and an n. */
const LINE_BREAK = 0x5c6e

/** Where a style draws its words: the table, or a range of the pool. */
function range({ rareFrom, rareCount }: Pool, words: Style['words']): readonly [from: number, count: number] {
  return words === 'numbers' ? [rareFrom + rareCount - NUMBERS, NUMBERS] : [rareFrom, rareCount - (words === 'rare' ? NUMBERS : 0)]
}

/** Writes the text from `from` on and returns where it ends. Up to 12 bytes behind the end may change as well. */
export function writeProse(target: DataView, from: number, { language, seed, words, style, changes }: Prose): number {
  const own = pool(language)
  const { quads, starts, lengths, capitals, table, rareFrom, rareCount, spaced } = own
  const [rangeFrom, rangeCount] = range(own, style.words)
  const usual = style.words === 'usual'
  const opening = bytesOf(style.opening)
  const closing = bytesOf(spaced ? style.closing : '。')
  const comma = bytesOf(spaced ? ',' : '，')
  const [least, most] = style.sentence
  // Marsaglia's xorshift with 64 bits of state: with 32 the documents of a large corpus would share passages.
  let x = scrambled(seed) | 1
  let y = scrambled(seed ^ 0x2545f491)
  let at = from
  let left = 0
  let change = changes === undefined ? -1 : changes.every >> 1
  let changed = 0
  for (let i = 0; i < words; i += 1) {
    const t = x ^ (x << 10)
    x = y
    y = y ^ (y >>> 10) ^ (t ^ (t >>> 13))
    const low = y & 0xffff
    let word = usual ? (table[y >>> 16] as number) : RARE
    if (word === RARE) word = rangeFrom + ((low * rangeCount) >>> 16)
    if (i === change && changes !== undefined) {
      word = rareFrom + (hashOf(changes.seed, i) % rareCount)
      changed += 1
      change = Math.floor((changed + 0.5) * changes.every)
    }
    if (left === 0) {
      for (let k = 0; k < opening.length; k += 1) target.setUint8(at++, opening[k] as number)
      left = least + (((low & 0xff) * (most - least + 1)) >>> 8)
      word += capitals
    }
    const quad = starts[word] as number
    const length = lengths[word] as number
    target.setInt32(at, quads[quad] as number, true)
    target.setInt32(at + 4, quads[quad + 1] as number, true)
    target.setInt32(at + 8, quads[quad + 2] as number, true)
    for (let k = 4 * MOVES; k < length; k += 4) target.setInt32(at + k, quads[quad + k / 4] as number, true)
    at += length
    left -= 1
    if (left > 0 && i + 1 < words) {
      if ((low & 0x0f00) === 0) for (let k = 0; k < comma.length; k += 1) target.setUint8(at++, comma[k] as number)
      continue
    }
    for (let k = 0; k < closing.length; k += 1) target.setUint8(at++, closing[k] as number)
    left = 0
    if (i + 1 === words) break
    if (((low >>> 8) * style.line) >>> 8 === 0) {
      target.setUint16(at, LINE_BREAK)
      at += 2
    } else if (spaced) target.setUint8(at++, SPACE)
  }
  return at
}
