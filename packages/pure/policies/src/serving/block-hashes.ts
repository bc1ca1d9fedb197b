// A prompt as a chain of block hashes: the hash of a block covers all text before it, so equal hashes mean equal prefixes. Blocks are of
// characters because a gateway has no tokenizer; llm-d's approximate index does the same.

import { mixedHash } from './hash.ts'

/** 256 characters are about 64 tokens of English, four of vLLM's blocks of 16. */
export const BLOCK_CHARACTERS = 256

/** Two lanes of 32 and 21 bits in one exact double: with 2^53 values a collision among a million blocks has odds of 1 in 18,000. */
const HIGH = 2 ** 32

/** Fills `into` with the hashes of the whole blocks; `seed` keeps apart what may not share a cache (model, tenant). */
export function blockHashes(text: string, seed: number, into: number[]): number[] {
  into.length = 0
  let low = seed
  let high = mixedHash(seed, 1)
  const whole = text.length - (text.length % BLOCK_CHARACTERS)
  for (let index = 0; index < whole; index += 1) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high + code, 0x5bd1e995) ^ (high >>> 15)
    if ((index + 1) % BLOCK_CHARACTERS === 0) into.push((mixedHash(high, index) & 0x1fffff) * HIGH + mixedHash(low, index))
  }
  return into
}
