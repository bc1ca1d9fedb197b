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
const BLOCK_TOKENS = 16
/** Of a usual prompt, that one hash each covers: finer parts cost time and change little. */
const PARTS_OF_PROMPT = 16
/** Longer than any prompt that is drawn. */
const PARTS = 16_384

type SharedText = {
  /** Of prompts, on average. */
  readonly input_tokens: number
  readonly cachedPrompt: number
}

export function sharedPrefix({ input_tokens, cachedPrompt }: SharedText): SharedPrefix {
  const tokens = BLOCK_TOKENS * Math.max(1, Math.round((cachedPrompt * input_tokens) / PARTS_OF_PROMPT / BLOCK_TOKENS))
  return {
    tokens,
    hashes: Int32Array.from({ length: PARTS }, (_, part) => part + 1),
    of: (arrivals) => (into) => {
      if (!arrivals(into)) return false
      into.hashFirst = 0
      into.hashCount = Math.min(PARTS, Math.round((cachedPrompt * into.prompt) / tokens))
      return true
    },
  }
}
