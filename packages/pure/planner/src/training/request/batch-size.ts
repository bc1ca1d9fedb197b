// A batch stated in tokens, as whole sequences that divide well over the fleet. 4M tokens of 4,096 are 976.6 sequences; 977 is a prime, so
// nothing but one data-parallel rank could take it, while 1,024 leaves every layout open.

import { quantity, show } from '@ironlaw/units'
import { divisors } from '../search/divisors.ts'
import type { Strategy } from '../strategy.ts'

/**
 * Tokens of a step for a budget of arithmetic, as DeepSeek LLM fitted it over runs of 1e17 to 2e19 FLOP and used it to 3e23 (Bi et al. 2024,
 * arXiv:2401.02954, equation 1): 0.292 C^0.3271. Beyond that runs keep to 2^24 tokens, as Llama 3. A power of two of sequences, at least one:
 * the nearest, or the one below where that is beyond a limit.
 */
export function usualBatch({
  active,
  tokens,
  sequence,
}: {
  readonly active: number
  readonly tokens: number
  readonly sequence: number
}): number {
  const perStep = 0.292 * (6 * active * tokens) ** 0.3271
  const limit = Math.max(1, Math.min(tokens / LEAST_STEPS, MOST_TOKENS) / sequence)
  const nearest = 2 ** Math.round(Math.log2(Math.max(1, Math.min(perStep / sequence, limit))))
  return nearest > limit ? nearest / 2 : nearest
}

const MOST_TOKENS = 2 ** 24
/** Fewer steps than this are no training, whatever the rule says. */
const LEAST_STEPS = 100

export type BatchDivision = {
  /** Numbers of devices that the search tries. */
  readonly fleets: readonly number[]
  readonly fixed: Partial<Strategy>
}

/**
 * How far a batch may move to divide better. "M" as 2^20 is 4.9 % more than as a million, and batches are not tuned more finely than that.
 */
const WITHIN = 0.05
const MICROBATCHES = [1, 2, 4, 8, 16, 32]
/** Model-parallel degrees that are no power of two divide few models: they count, but little. */
const ODD_DEGREE = 0.25
/** Above this many sequences only rounder counts are looked at, to keep the number of candidates bounded. */
const EVERY_COUNT_BELOW = 4096

/** The number of ways to divide `sequences` among data-parallel ranks and microbatches. */
export function waysToDivide(sequences: number, { fleets, fixed }: BatchDivision): number {
  const microbatches = fixed.microbatch === undefined ? MICROBATCHES : [fixed.microbatch]
  let ways = 0
  for (const devices of fleets) {
    const ranks = devices / ((fixed.tensor ?? 1) * (fixed.context ?? 1) * (fixed.pipeline ?? 1))
    if (!Number.isInteger(ranks)) continue
    for (const data of fixed.data === undefined ? divisors(ranks).map((part) => ranks / part) : [fixed.data]) {
      const weight = isPowerOfTwo(devices / data) ? 1 : ODD_DEGREE
      for (const microbatch of microbatches) if (sequences % (data * microbatch) === 0) ways += weight
    }
  }
  return ways
}

const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value))

/** The count near `exact` that divides in most ways; of several the nearest. */
export function batchNear(exact: number, division: BatchDivision): number {
  const step = exact < EVERY_COUNT_BELOW ? 1 : 2 ** Math.floor(Math.log2((2 * exact) / EVERY_COUNT_BELOW))
  let best = Math.max(1, Math.round(exact))
  let most = waysToDivide(best, division)
  for (let count = Math.ceil((exact * (1 - WITHIN)) / step) * step; count <= exact * (1 + WITHIN); count += step) {
    if (count < 1) continue
    const ways = waysToDivide(count, division)
    if (ways < most || (ways === most && Math.abs(count - exact) >= Math.abs(best - exact))) continue
    best = count
    most = ways
  }
  return best
}

export type BatchInSequences = {
  readonly sequences: number
  /** What was made of the tokens, in one line; absent when they are a whole number of sequences. */
  readonly note?: string
}

type WrittenBatch = { readonly text: string; readonly tokens: number; readonly sequence: number }

/** Undefined when the tokens are less than half a sequence. */
export function batchOfTokens({ text, tokens, sequence }: WrittenBatch, division: BatchDivision): BatchInSequences | undefined {
  const exact = tokens / sequence
  if (Number.isInteger(exact)) return { sequences: exact }
  const nearest = Math.round(exact)
  if (nearest < 1) return undefined
  const sequences = batchNear(exact, division)
  const shown = show(quantity(sequences * sequence, 'token'), 'token').replace(/ token$/, ' tokens')
  const why = sequences === nearest ? '' : `; ${roundingReason(nearest, sequences, division)}`
  return { sequences, note: `${text} = ${sequences.toLocaleString('en')} sequences of ${sequence.toLocaleString('en')} (${shown})${why}` }
}

function roundingReason(nearest: number, sequences: number, { fleets }: BatchDivision): string {
  const [devices = 1] = fleets
  const ranks = (count: number): number => devices / (divisors(devices).find((part) => count % (devices / part) === 0) ?? devices)
  const [of, than] = [nearest.toLocaleString('en'), devices.toLocaleString('en')]
  if (ranks(sequences) === devices && ranks(nearest) < devices) return `${of} would not divide over ${than} devices`
  if (ranks(nearest) < ranks(sequences))
    return `${of} would allow ${ranks(nearest)}-way data parallelism at most, not ${ranks(sequences).toLocaleString('en')}-way`
  return `${of} would divide over ${than} devices in fewer ways`
}
