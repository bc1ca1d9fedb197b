// What both sides of the benchmark do in a round.

/** Places per sequence: prompt, answer, and what the library pads to. */
export const CONTEXT = 256

export type Round = { readonly round: number; readonly tokens: number }

/** Prompts that have nothing in common, so that no prefix is reused: 32 bytes, which are 32 tokens. */
export const promptOf = (round: number, index: number): string =>
  `${String(round * 977 + index * 31).padStart(6, '0')} is a number of requests`.slice(0, 32)
