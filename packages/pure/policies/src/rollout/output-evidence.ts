// Evidence that a revision answers otherwise than what serves. Both got the same request; where the client asked for the likeliest words
// (temperature 0) the answers should be the same, but for what batches and rounding do. A share of differing answers of the margin is
// "worse", of half the margin "as good": rounding alone is no reason.

import { logLikelihood, type RateTestInputs, expectedSamples } from './rate-evidence.ts'

/** Of pairs of answers to one request. */
export type OutputPairs = {
  readonly pairs: number
  /** Sum of the natural logarithms of their ratio of lengths, the tried one's over the other's. */
  readonly lengthLogSum: number
  /** Pairs to requests without randomness, those of them with the same text, and the sum of the shares before the first difference. */
  readonly compared: number
  readonly same: number
  readonly agreed: number
}

export const NO_OUTPUTS: OutputPairs = { pairs: 0, lengthLogSum: 0, compared: 0, same: 0, agreed: 0 }

export const sumOfOutputs = (one: OutputPairs, other: OutputPairs): OutputPairs => ({
  pairs: one.pairs + other.pairs,
  lengthLogSum: one.lengthLogSum + other.lengthLogSum,
  compared: one.compared + other.compared,
  same: one.same + other.same,
  agreed: one.agreed + other.agreed,
})

export const outputEvidence = ({ compared, same }: OutputPairs, margin: number): number =>
  logLikelihood(ratesOf(margin), { total: compared, bad: compared - same })

/** Pairs after which a revision that answers alike is expected to be found so. */
export const outputSamplesNeeded = ({ margin, asGood }: RateTestInputs): number => expectedSamples(ratesOf(margin), asGood)

/** A margin of 1 would make a single equal answer decide. */
const MOST = 0.999

const ratesOf = (margin: number) => ({ asGood: margin / 2, worse: Math.min(MOST, margin) })
