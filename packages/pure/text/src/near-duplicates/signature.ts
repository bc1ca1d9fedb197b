// One-permutation MinHash. A shingle falls into one bin of each permutation, and the bin keeps its smallest value, so a text costs a
// few hashes a shingle instead of one a shingle and bin. Bins that stay empty are filled in further rounds with other hashes (Dahlgaard, Knudsen,
// Thorup: Fast similarity sketching, FOCS 2017): two texts agree in a bin with their similarity as the probability however short they are, and
// short texts compare with long ones. Copying from other bins instead (Shrivastava 2017) correlates them.
//
// Bins of one permutation hold different shingles, which makes a whole band agree less often than the law says: by 0.037 at similarity 0.7
// and as many shingles as bins. The rows of a band therefore come from four permutations, which leaves 0.006.

import { folded, mixed, scrambled, wordHashes } from './words.ts'

export type SignatureShape = {
  /** Words in a shingle. A text with fewer words is one shingle of all of them. */
  readonly shingleWords: number
  readonly bands: number
  /** Bins in a band: two texts of similarity s share a band with probability 1 - (1 - s^rows)^bands. */
  readonly rows: number
}

/** As datatrove and FineWeb: half of the pairs are found at a similarity of 0.68, 92 % at 0.8. */
export const SIGNATURE_SHAPE: SignatureShape = { shingleWords: 5, bands: 14, rows: 8 }

const PERMUTATIONS = 4
const EMPTY = 0xffffffff
const GOLDEN = 0x9e3779b1
const BASE = 0x050c5d1f

type Permutation = {
  readonly number: number
  /** How many bins are its own. Bin i of it stands at place PERMUTATIONS * i + number. */
  readonly size: number
}

/** The smallest hash in each of bands x rows bins; no bin at all for a text without words, which is like no other text. */
export function signature(text: string, shape: SignatureShape = SIGNATURE_SHAPE): Uint32Array {
  const shingles = shingleHashes(text, shape.shingleWords)
  if (shingles.length === 0) return new Uint32Array(0)
  const bins = new Uint32Array(shape.bands * shape.rows).fill(EMPTY)
  fillBins(shingles, bins)
  if (bins.includes(EMPTY))
    for (let number = 0; number < PERMUTATIONS; number += 1) fillEmptyBins(shingles, bins, { number, size: sizeOf(bins, number) })
  return bins
}

const sizeOf = (bins: Uint32Array, permutation: number): number => Math.ceil((bins.length - permutation) / PERMUTATIONS)

/**
 * Shingles replace the words of the buffer: shingle i depends on words i and later only. They are the mixed hashes but for the last step, which the first
 * step of mixing them again undoes.
 */
function shingleHashes(text: string, shingleWords: number): Int32Array {
  const words = wordHashes(text)
  const length = Math.min(shingleWords, words.length)
  if (length === 0) return words
  // A polynomial in BASE, rolled on from word to word: the new word enters and the oldest leaves.
  let leaving = 1
  for (let i = 0; i < length; i += 1) leaving = Math.imul(leaving, BASE)
  let rolling = 0
  for (let i = 0; i < length - 1; i += 1) rolling = (Math.imul(rolling, BASE) + (words[i] as number)) | 0
  const count = words.length - length + 1
  let oldest = 0
  for (let i = 0; i < count; i += 1) {
    const word = words[i] as number
    rolling = (Math.imul(rolling, BASE) + (words[i + length - 1] as number) - Math.imul(oldest, leaving)) | 0
    oldest = word
    words[i] = scrambled(folded(rolling))
  }
  return words.subarray(0, count)
}

/** Hashes of shingles in the rounds of a permutation are `mixed(shingle ^ salt)`, here but for the last step. */
const saltOf = (round: number, permutation: number): number => folded(Math.imul(PERMUTATIONS * round + permutation, GOLDEN))

/** The upper half chooses the bin. */
const binOf = (hash: number, size: number): number => ((hash >>> 16) * size) >>> 16

/** The lower half decides first which value is smaller. */
const valueOf = (hash: number): number => ((folded(hash) << 16) | (hash >>> 16)) >>> 0

/** The first round of all permutations, in one pass. */
function fillBins(shingles: Int32Array, bins: Uint32Array): void {
  const [size0, size1, size2, size3] = [sizeOf(bins, 0), sizeOf(bins, 1), sizeOf(bins, 2), sizeOf(bins, 3)]
  const [salt0, salt1, salt2, salt3] = [saltOf(0, 0), saltOf(0, 1), saltOf(0, 2), saltOf(0, 3)]
  for (let i = 0; i < shingles.length; i += 1) {
    const shingle = shingles[i] as number
    const hash0 = scrambled(shingle ^ salt0)
    const hash1 = scrambled(shingle ^ salt1)
    const hash2 = scrambled(shingle ^ salt2)
    const hash3 = scrambled(shingle ^ salt3)
    keepSmaller(bins, PERMUTATIONS * binOf(hash0, size0), valueOf(hash0))
    keepSmaller(bins, PERMUTATIONS * binOf(hash1, size1) + 1, valueOf(hash1))
    keepSmaller(bins, PERMUTATIONS * binOf(hash2, size2) + 2, valueOf(hash2))
    keepSmaller(bins, PERMUTATIONS * binOf(hash3, size3) + 3, valueOf(hash3))
  }
}

/** Without a branch: every fifth value is smaller, and which ones cannot be foreseen. */
function keepSmaller(bins: Uint32Array, place: number, value: number): void {
  const before = bins[place] as number
  bins[place] = before ^ ((before ^ value) & -Number(value < before))
}

/** A bin filled in an earlier round stays. After as many rounds as bins, those still empty get a hash of their own. */
function fillEmptyBins(shingles: Int32Array, bins: Uint32Array, { number, size }: Permutation): void {
  const isOpen = new Uint8Array(size)
  for (let round = 1; round < size; round += 1) {
    let open = 0
    for (let bin = 0; bin < size; bin += 1) open += isOpen[bin] = bins[PERMUTATIONS * bin + number] === EMPTY ? 1 : 0
    if (open === 0) return
    const salt = saltOf(round, number)
    for (let i = 0; i < shingles.length; i += 1) {
      const hash = scrambled((shingles[i] as number) ^ salt)
      const bin = binOf(hash, size)
      if (isOpen[bin] === 1) keepSmaller(bins, PERMUTATIONS * bin + number, valueOf(hash))
    }
  }
  for (let bin = 0; bin < size; bin += 1) {
    const place = PERMUTATIONS * bin + number
    if (bins[place] !== EMPTY) continue
    const salt = saltOf(size + bin, number)
    for (let i = 0; i < shingles.length; i += 1) keepSmaller(bins, place, folded(scrambled((shingles[i] as number) ^ salt)) >>> 0)
  }
}

/**
 * One key of 64 bits a band: texts with a key in common are candidates. The number of the band is part of the key, so keys of all bands may be
 * grouped together. A chance hit has probability 2^-64 a pair of keys.
 */
export function bandKeys(bins: Uint32Array, shape: SignatureShape = SIGNATURE_SHAPE): BigUint64Array<ArrayBuffer> {
  const bands = bins.length === 0 ? 0 : shape.bands
  const halves = new Uint32Array(2 * bands)
  for (let band = 0; band < bands; band += 1) {
    let low = Math.imul(band + 1, GOLDEN)
    let high = ~low
    for (let row = band * shape.rows; row < (band + 1) * shape.rows; row += 1) {
      const value = bins[row] as number
      low = mixed(low ^ value)
      high = mixed(Math.imul(high, GOLDEN) + value)
    }
    halves[2 * band] = low
    halves[2 * band + 1] = high
  }
  return new BigUint64Array(halves.buffer)
}
