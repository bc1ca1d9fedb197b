// One pass over a text gathers what the rules of quality compare. Branches that depend on characters cost more than the rest, so the loop over
// characters has none: every character writes to the slot of its token.

import { codeUnits } from '../code-units.ts'
import { mixed } from '../near-duplicates/words.ts'
import { characterTables, HAS_LETTER, IS_LINE_BREAK, IS_SPACE, IS_WORD, STARTS } from './characters.ts'
import { addLine, type LineCounts, noLines } from './lines.ts'

export type TextScan = {
  readonly text: string
  readonly tokens: number
  /** Tokens that are not punctuation alone, and their characters. */
  readonly words: number
  readonly wordCharacters: number
  readonly tokensWithLetter: number
  /** Of three dots. */
  readonly ellipses: number
  /** How many different ones of the stop words, counted up to two. */
  readonly stopWords: number
  readonly lines: LineCounts
  /** Of tokens 0 to i - 1 at i: a polynomial of their hashes, and their characters. Valid until the next scan. */
  readonly polynomials: Int32Array
  readonly characters: Int32Array
}

const STOP_WORDS = ['the', 'to', 'of', 'and', 'that', 'with', 'be', 'have']

const NEW_LINE = 0x0a

const FNV_BASIS = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193
/** Of the polynomials. */
export const BASE = 0x050c5d1f

function hashOf(word: string): number {
  let hash = FNV_BASIS
  for (let i = 0; i < word.length; i += 1) hash = Math.imul(hash ^ word.charCodeAt(i), FNV_PRIME)
  return hash
}

const STOP_HASHES = Int32Array.from(STOP_WORDS, hashOf)

/** The bit of a stop word, 0 for other tokens. */
function stopBit(hash: number): number {
  for (let i = 0; i < STOP_HASHES.length; i += 1) if (STOP_HASHES[i] === hash) return 1 << i
  return 0
}

const hasTwo = (bits: number): boolean => (bits & (bits - 1)) !== 0

/** How often three dots fit into a run of them; 0 for other tokens. */
const ellipsesIn = (hash: number, size: number): number => (hash === hashOf('.'.repeat(size)) ? Math.floor(size / 3) : 0)

// One buffer for all texts, as for the words of near-duplicates. Hashes and sights are of one block, the rest of a text.
let hashes = new Int32Array(1 << 15)
let sights = new Int32Array(1 << 15)
let polynomials = new Int32Array(1 << 14)
let characters = new Int32Array(1 << 14)

const grown = (small: Int32Array<ArrayBuffer>, least: number): Int32Array<ArrayBuffer> => {
  const large = new Int32Array(2 * least)
  large.set(small)
  return large
}

/** No text has more tokens than characters. */
function makeRoom(tokens: number, block: number): void {
  if (block + 2 > hashes.length) [hashes, sights] = [grown(hashes, block + 2), grown(sights, block + 2)]
  if (tokens + block + 1 > polynomials.length)
    [polynomials, characters] = [grown(polynomials, tokens + block + 1), grown(characters, tokens + block + 1)]
}

/** Lines of about as many characters are scanned together. */
const BLOCK = 1 << 14

/** A sight has the characters of a token in the upper bits, their roles in the lower five. */
const CHARACTER = 32

/** Writes hashes and sights of tokens 1 to n in a block of lines, which ends before a line break; the others are tokens too. Returns n. */
function scanBlock(codes: Uint16Array, begin: number, finish: number): number {
  const { kinds, roles } = characterTables()
  const blockHashes = hashes
  const blockSights = sights
  let tokens = 0
  let hash = 0
  let sight = 0
  let window = 0
  let held = NEW_LINE
  // Looks at the character before i: whether it joins its neighbours depends on the next.
  for (let i = begin; i <= finish; i += 1) {
    const unit = codes[i] as number
    window = ((window << 4) | (kinds[unit] as number)) & 0xffff
    const role = roles[window] as number
    const starts = role & STARTS
    tokens += starts
    hash = Math.imul(((hash & (starts - 1)) | (FNV_BASIS & -starts)) ^ held, FNV_PRIME)
    sight = ((sight & (starts - 1)) + CHARACTER) | role
    // A space writes to the slot of the next token, which overwrites it.
    const slot = tokens + ((role & IS_SPACE) >> 1)
    blockHashes[slot] = hash
    blockSights[slot] = sight
    held = unit
  }
  return tokens
}

export function scan(text: string): TextScan {
  const { length } = text
  const codes = codeUnits(text)
  codes[length] = NEW_LINE
  const lines = noLines(text)
  let lineHash = FNV_BASIS
  let lineStart = 0
  let tokens = 0
  let words = 0
  let wordCharacters = 0
  let tokensWithLetter = 0
  let ellipses = 0
  let stops = 0
  let polynomial = 0
  let total = 0
  for (let begin = 0, end = 0; begin < length; begin = end + 1) {
    const lineBreak = text.indexOf('\n', begin + BLOCK)
    end = lineBreak < 0 ? length : lineBreak
    makeRoom(tokens, end - begin)
    const count = scanBlock(codes, begin, end)
    const [blockHashes, blockSights, allPolynomials, allCharacters] = [hashes, sights, polynomials, characters]
    for (let i = 1; i <= count; i += 1) {
      const hash = blockHashes[i] as number
      const sight = blockSights[i] as number
      if ((sight & IS_LINE_BREAK) !== 0) {
        addLine(lines, lineHash, tokens > lineStart)
        lineHash = FNV_BASIS
        lineStart = tokens
        continue
      }
      const size = sight >> 5
      const isWord = (sight & IS_WORD) >> 3
      lineHash = Math.imul(lineHash ^ hash, FNV_PRIME)
      polynomial = (Math.imul(polynomial, BASE) + mixed(hash)) | 0
      total += size
      words += isWord
      wordCharacters += size & -isWord
      tokensWithLetter += (sight & HAS_LETTER) >> 2
      // One comparison that is nearly never true; which tokens are words could not be foreseen.
      if ((size & (isWord - 1)) > 2) ellipses += ellipsesIn(hash, size)
      if (!hasTwo(stops)) stops |= stopBit(hash)
      tokens += 1
      allPolynomials[tokens] = polynomial
      allCharacters[tokens] = total
    }
    addLine(lines, lineHash, tokens > lineStart)
    lineHash = FNV_BASIS
    lineStart = tokens
  }
  const stopWords = hasTwo(stops) ? 2 : Math.min(1, stops)
  return { text, tokens, words, wordCharacters, tokensWithLetter, ellipses, stopWords, lines, polynomials, characters }
}
