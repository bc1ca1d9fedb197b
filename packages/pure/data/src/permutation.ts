// A permutation of 0 .. size - 1 that is computed, not stored: a Feistel network on pairs (left, right) with left < rows, right < columns,
// where rows x columns is the smallest near-square rectangle that holds the size (Black and Rogaway 2002, "generalized Feistel"). The
// rectangle has less than one row too many, so walking on when a value falls outside the size (cycle walking) is rare for large sizes; a
// network on bits has up to four times as many.
//
// Four rounds make a strong pseudo-random permutation where halves are large (Luby and Rackoff 1988). Where they are small, pairs of samples
// show it: over 100,000 seeds and 16 samples, the chi-square of the distance between neighbours lies 475 standard deviations off with four
// rounds, 26 with six and 2 with eight; with 40 samples 96, 2 and 0. A digest has eight words, so there are eight rounds.
//
// Everything is exact in doubles, and python/ironlaw/data computes the same numbers.

import { sha256 } from '@ironlaw/contracts'

export type Permutation = {
  readonly size: number
  readonly at: (index: number) => number
  /** The index at which `value` stands. */
  readonly inverse: (value: number) => number
}

/** The key of a round is a word of the digest of the seed. */
export function permutation(seed: string, size: number): Permutation {
  if (!Number.isSafeInteger(size) || size < 1) throw new RangeError(`a permutation of ${size} elements: expected 1 to 2^53 - 1`)
  const rows = Math.ceil(Math.sqrt(size))
  const columns = Math.ceil(size / rows)
  const keys = roundKeys(seed)

  function at(index: number): number {
    check(index, size)
    let left = Math.floor(index / columns)
    let right = index - left * columns
    for (;;) {
      for (let round = 0; round < keys.length; round += 1) {
        const key = keys[round] ?? 0
        if (round % 2 === 0) left = (left + (mixed(right ^ key) % rows)) % rows
        else right = (right + (mixed(left ^ key) % columns)) % columns
      }
      const value = left * columns + right
      if (value < size) return value
    }
  }

  function inverse(value: number): number {
    check(value, size)
    let left = Math.floor(value / columns)
    let right = value - left * columns
    for (;;) {
      for (let round = keys.length - 1; round >= 0; round -= 1) {
        const key = keys[round] ?? 0
        if (round % 2 === 0) left = (left + rows - (mixed(right ^ key) % rows)) % rows
        else right = (right + columns - (mixed(left ^ key) % columns)) % columns
      }
      const index = left * columns + right
      if (index < size) return index
    }
  }

  return { size, at, inverse }
}

function check(index: number, size: number): void {
  if (!(Number.isInteger(index) && index >= 0 && index < size)) throw new RangeError(`there is no element ${index} among ${size}`)
}

function roundKeys(seed: string): Int32Array {
  const words = sha256(seed).match(/.{8}/g) ?? []
  return Int32Array.from(words, (word) => Number.parseInt(word, 16))
}

/** The finalizer of MurmurHash3: every bit of the word changes each bit of the result with a probability near one half. */
function mixed(word: number): number {
  let h = word ^ (word >>> 16)
  h = Math.imul(h, 0x85_eb_ca_6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2_b2_ae_35)
  return (h ^ (h >>> 16)) >>> 0
}
