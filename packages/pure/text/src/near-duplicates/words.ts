// Words of a text as hashes, the normalisation that near-duplicates and contamination share:
// - canonical composition (NFC), where a text has anything beyond Latin-1 and Latin Extended;
// - lower case, one code unit at a time: what would change length (U+0130) and a final sigma stay as they are;
// - a word is a longest run of letters, marks, numbers and underscores; everything else separates;
// - scripts that do not separate words (Han, kana, Thai, Lao, Khmer, Myanmar) have one word per character.
// "Don't stop" is three words: don, t, stop.

const SEPARATOR = 0
const PART_OF_WORD = 1
const WORD_OF_ITS_OWN = 2
const SURROGATE = 3

/** Below it no script writes without spaces and no code unit is a surrogate: the fast path of the loop. */
const THAI = 0x0e00
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

/** The finalizer of MurmurHash3: a bijection of 32 bits in which each bit of the input changes half of the output. */
export function mixed(hash: number): number {
  let h = hash ^ (hash >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

const FNV_BASIS = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193

// One buffer for all texts: an allocation for each costs more than hashing a short one. Its content is of one call only.
let buffer = new Int32Array(1 << 14)

/** The hash of each word of a text, in order. Valid until the next call. */
export function wordHashes(text: string): Int32Array {
  units ??= unitTables()
  const { kind, lower } = units
  const normal = COMBINING.test(text) ? text.normalize('NFC') : text
  // No more than one word a code unit.
  if (buffer.length < normal.length) buffer = new Int32Array(2 * normal.length)
  const words = buffer
  let count = 0
  let hash = FNV_BASIS
  for (let i = 0; i < normal.length; i += 1) {
    let unit = normal.charCodeAt(i)
    let unitKind = PART_OF_WORD
    if (unit >= THAI) {
      unitKind = kind[unit] as number
      if (unitKind === SURROGATE) {
        unit = normal.codePointAt(i) as number
        unitKind = unit > 0xffff ? astralKind(unit) : SEPARATOR
        if (unit > 0xffff) i += 1
      }
    }
    const folded = unitKind === SEPARATOR ? 0 : unit > 0xffff ? unit : (lower[unit] as number)
    if (unitKind === PART_OF_WORD && folded !== 0) {
      hash = Math.imul(hash ^ folded, FNV_PRIME)
      continue
    }
    if (hash !== FNV_BASIS) {
      words[count++] = mixed(hash)
      hash = FNV_BASIS
    }
    if (unitKind === WORD_OF_ITS_OWN) words[count++] = mixed(Math.imul(FNV_BASIS ^ folded, FNV_PRIME))
  }
  if (hash !== FNV_BASIS) words[count++] = mixed(hash)
  return words.subarray(0, count)
}
