// A reproducible stream of random numbers for one purpose. Each process of a simulation draws from its own stream, named by whole
// numbers (seed, replica, process), so that a change of policy leaves the failures as they were: common random numbers.
// The generator is xoshiro128** (D. Blackman, S. Vigna, Scrambled linear pseudorandom number generators, ACM TOMS 47(4), 2021); its
// state is filled from the names by the finalizer of MurmurHash3.

function mixedBits(word: number): number {
  let x = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return x ^ (x >>> 16)
}

/** The golden ratio in 32 bits: neighbouring names start far apart. */
const STEP = 0x9e3779b9

export class RandomStream {
  private s0: number
  private s1: number
  private s2: number
  private s3: number

  constructor(names: readonly number[]) {
    const key = names.reduce((hash, name) => mixedBits((hash ^ mixedBits(name + STEP)) + STEP), STEP)
    this.s0 = mixedBits(key + STEP)
    this.s1 = mixedBits(key + 2 * STEP)
    this.s2 = mixedBits(key + 3 * STEP)
    // A state of nothing but zeros would stay there.
    this.s3 = mixedBits(key + 4 * STEP) | 1
  }

  private word(): number {
    const { s0, s1, s2, s3 } = this
    const scrambled = Math.imul(s1, 5)
    const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9)
    const a = s2 ^ s0
    const b = s3 ^ s1
    this.s1 = s1 ^ a
    this.s0 = s0 ^ b
    this.s2 = a ^ (s1 << 9)
    this.s3 = (b << 11) | (b >>> 21)
    return result
  }

  /** From 0 up to but not 1, with 53 bits. */
  uniform(): number {
    const high = this.word() >>> 5
    return (high * 67_108_864 + (this.word() >>> 6)) / 9_007_199_254_740_992
  }

  /** With mean 1. */
  exponential(): number {
    return -Math.log(1 - this.uniform())
  }

  /** A whole number from 0 up to but not `count`. */
  below(count: number): number {
    return Math.floor(this.uniform() * count)
  }

  /** Mean 0, standard deviation 1 (Box and Muller 1958). */
  normal(): number {
    return Math.sqrt(2 * this.exponential()) * Math.cos(2 * Math.PI * this.uniform())
  }
}
