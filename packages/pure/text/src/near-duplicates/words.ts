// Words of a text as hashes, the normalisation that near-duplicates and contamination share:
// - canonical composition (NFC), where a text has anything beyond Latin-1 and Latin Extended;
// - lower case, one code unit at a time: what would change length (U+0130) and a final sigma stay as they are;
// - a word is a longest run of letters, marks, numbers and underscores; everything else separates;
// - scripts that do not separate words (Han, kana, Thai, Lao, Khmer, Myanmar) have one word per character.
// "Don't stop" is three words: don, t, stop.

import { codeUnits } from '../code-units.ts'

const SEPARATOR = 0
const PART_OF_WORD = 1
const WORD_OF_ITS_OWN = 2
const SURROGATE = 3

/** Text without code units from here on is in canonical composition already. */
const COMBINING = /[\u0300-\uffff]/

const WORD = /^[\p{L}\p{M}\p{N}_]$/u
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u

const kindOf = (character: string): number =>
  !WORD.test(character) ? SEPARATOR : UNSPACED.test(character) ? WORD_OF_ITS_OWN : PART_OF_WORD

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000

type Units = {
  /** By code unit: what it is to words. */
  readonly kind: Uint8Array
  /** By code unit: the unit in lower case, 0 where it separates. */
  readonly lower: Uint16Array
}

function unitTables(): Units {
  const kind = new Uint8Array(0x10000)
  const lower = new Uint16Array(0x10000)
  for (let unit = 0; unit < 0x10000; unit += 1) {
    const character = String.fromCharCode(unit)
    kind[unit] = isSurrogate(unit) ? SURROGATE : kindOf(character)
    const lowered = character.toLowerCase()
    if (kind[unit] !== SEPARATOR) lower[unit] = lowered.length === 1 ? lowered.charCodeAt(0) : unit
  }
  return { kind, lower }
}

let units: Units | undefined
const astralKinds = new Map<number, number>()

function astralKind(codePoint: number): number {
  let kind = astralKinds.get(codePoint)
  if (kind === undefined) {
    kind = kindOf(String.fromCodePoint(codePoint))
    astralKinds.set(codePoint, kind)
  }
  return kind
}

/** The first and the last step of `mixed`: its own inverse, and of a XOR the XOR. */
export const folded = (hash: number): number => hash ^ (hash >>> 16)

/** The steps of `mixed` between them. */
export function scrambled(hash: number): number {
  const h = Math.imul(hash, 0x85ebca6b)
  return Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
}

/** The finalizer of MurmurHash3: a bijection of 32 bits in which each bit of the input changes half of the output. */
export const mixed = (hash: number): number => folded(scrambled(folded(hash))) >>> 0

const FNV_BASIS = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193

// One buffer for all texts: an allocation for each costs more than hashing a short one. Its content is of one call only.
let buffer = new Int32Array(1 << 14)

/** The hash of each word of a text, in order. Valid until the next call. */
export function wordHashes(text: string): Int32Array {
  units ??= unitTables()
  const mayCombine = COMBINING.test(text)
  const normal = mayCombine ? text.normalize('NFC') : text
  // No more than one word a code unit, and a slot for what follows the last.
  if (buffer.length <= normal.length) buffer = new Int32Array(2 * normal.length + 1)
  const count = mayCombine && hasUnspaced(normal, units) ? hashCodePoints(normal, units) : hashUnits(normal, units)
  return buffer.subarray(0, count)
}

/** Whether each code unit is a part of a word or separates them. */
function hasUnspaced(text: string, { kind }: Units): boolean {
  for (let i = 0; i < text.length; i += 1) if ((kind[text.charCodeAt(i)] as number) >= WORD_OF_ITS_OWN) return true
  return false
}

/**
 * Where a word ends cannot be foreseen, and a branch there would cost more than the rest, so the loop has none: every code unit writes to the slot of its
 * word.
 */
function hashUnits(text: string, { lower }: Units): number {
  const { length } = text
  const codes = codeUnits(text)
  const words = buffer
  let count = 0
  let hash = FNV_BASIS
  let isInWord = 0
  for (let i = 0; i < length; i += 1) {
    const letter = lower[codes[i] as number] as number
    const separates = (letter - 1) >>> 31
    count += isInWord & separates
    isInWord = separates ^ 1
    hash = (Math.imul(hash ^ letter, FNV_PRIME) & (separates - 1)) | (FNV_BASIS & -separates)
    words[count] = hash
  }
  count += isInWord
  for (let i = 0; i < count; i += 1) words[i] = mixed(words[i] as number)
  return count
}

/** As `hashUnits`, for texts with characters that are words of their own or have two code units. */
function hashCodePoints(text: string, { kind, lower }: Units): number {
  const words = buffer
  let count = 0
  let hash = FNV_BASIS
  for (let i = 0; i < text.length; i += 1) {
    const point = text.codePointAt(i) as number
    const unitKind = point > 0xffff ? astralKind(point) : (kind[point] as number)
    const letter = point > 0xffff ? point : (lower[point] as number)
    if (point > 0xffff) i += 1
    if (unitKind === PART_OF_WORD) {
      hash = Math.imul(hash ^ letter, FNV_PRIME)
      continue
    }
    if (hash !== FNV_BASIS) words[count++] = mixed(hash)
    hash = FNV_BASIS
    if (unitKind === WORD_OF_ITS_OWN) words[count++] = mixed(Math.imul(FNV_BASIS ^ letter, FNV_PRIME))
  }
  if (hash !== FNV_BASIS) words[count++] = mixed(hash)
  return count
}
