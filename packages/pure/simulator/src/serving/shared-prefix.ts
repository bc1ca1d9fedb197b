// Prompts that begin alike: the same share of each is the beginning of one text, such as instructions and documents that all requests carry. A
// replica computes it once, and shares its blocks.

import type { Arrivals } from './arrivals.ts'

export type SharedPrefix = {
  /** That one hash covers. */
  readonly tokens: number
  readonly hashes: Int32Array
  readonly of: (arrivals: Arrivals) => Arrivals
}

/** A block of vLLM's cache: what it finds is a multiple of that. */
const PART_TOKENS = 16
/** A million tokens: longer than any context. */
const PARTS = 65_536

export function sharedPrefix(share: number): SharedPrefix {
  return {
    tokens: PART_TOKENS,
    hashes: Int32Array.from({ length: PARTS }, (_, part) => part + 1),
    of: (arrivals) => (into) => {
      if (!arrivals(into)) return false
      into.hashFirst = 0
      into.hashCount = Math.min(PARTS, Math.round((share * into.prompt) / PART_TOKENS))
      return true
    },
  }
}
