// A distribution of lengths as a histogram: what documents, prompts and answers have in common.

import type { DocumentLengths } from '@ironlaw/contracts'

/** Shortest first; shares add up to 1. */
export type Lengths = readonly { readonly tokens: number; readonly share: number }[]

const BINS = 96
/** Standard deviations of the logarithm on either side. */
const WIDTH = 4

export function lengthsOf({ mean, variation, histogram }: DocumentLengths): Lengths {
  if (histogram) return normalized(histogram.toSorted((a, b) => a.tokens - b.tokens))
  const middle = mean ?? 1
  if (variation === 0) return [{ tokens: middle, share: 1 }]
  const sigma = Math.sqrt(Math.log(1 + variation ** 2))
  const bins = Array.from({ length: BINS }, (_, index) => {
    const z = ((index + 0.5) / BINS - 0.5) * 2 * WIDTH
    return { tokens: middle * Math.exp(sigma * z - sigma ** 2 / 2), share: Math.exp((-z * z) / 2) }
  })
  return normalized(bins)
}

function normalized(bins: Lengths): Lengths {
  const sum = bins.reduce((total, { share }) => total + share, 0)
  return bins.map(({ tokens, share }) => ({ tokens, share: share / sum }))
}

/** What is longer is cut there. */
export const cutLengths = (lengths: Lengths, most: number): Lengths =>
  lengths.map(({ tokens, share }) => ({ tokens: Math.min(tokens, most), share }))

export const meanLength = (lengths: Lengths): number => lengths.reduce((sum, { tokens, share }) => sum + share * tokens, 0)

export const meanSquare = (lengths: Lengths): number => lengths.reduce((sum, { tokens, share }) => sum + share * tokens ** 2, 0)
