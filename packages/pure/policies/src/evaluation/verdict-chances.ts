// How likely each verdict is before anything has been measured: by the rule itself, summed over every outcome that matters.

import { judgeDifference, type EvaluationVerdict, type GateRule } from './judge-difference.ts'
import { pairedCounts } from './paired-scores.ts'

/** What is supposed of two models: the share of items on which they differ, and by how much the new one is better. */
export type Supposed = { readonly items: number; readonly differing: number; readonly difference: number }

export type VerdictChances = Readonly<Record<EvaluationVerdict, number>>

/** Outcomes beyond so many standard deviations are rarer than one in a million. */
const REACH = 5
/** Of numbers of differing items that are tried; the verdict changes slowly between them. */
const STEPS = 40

export function verdictChances({ items, differing, difference }: Supposed, rule: GateRule): VerdictChances {
  const share = Math.min(1, Math.max(differing, Math.abs(difference)))
  const lossShare = share === 0 ? 0 : (share - difference) / (2 * share)
  const chances = { 'as-good': 0, worse: 0, undecided: 0 }
  for (const { count, chance } of likelyCounts(items, share)) {
    const most = leastLosses(count, (lost) => verdictAt({ items, count, lost }, rule) !== 'as-good') - 1
    const least = leastLosses(count, (lost) => verdictAt({ items, count, lost }, rule) === 'worse')
    const good = binomialUpTo(most, count, lossShare)
    const worse = 1 - binomialUpTo(least - 1, count, lossShare)
    chances['as-good'] += chance * good
    chances.worse += chance * worse
    chances.undecided += chance * Math.max(0, 1 - good - worse)
  }
  return chances
}

type Outcome = { readonly items: number; readonly count: number; readonly lost: number }

function verdictAt({ items, count, lost }: Outcome, rule: GateRule): EvaluationVerdict {
  return judgeDifference(pairedCounts({ items, won: count - lost, lost }), rule).verdict
}

/** The least number of losses with a property that more losses keep; one more than there are where none has it. */
function leastLosses(count: number, has: (lost: number) => boolean): number {
  let [low, high] = [0, count + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (has(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Numbers of differing items with the chance that theirs is the nearest. */
function likelyCounts(items: number, share: number): readonly { readonly count: number; readonly chance: number }[] {
  const spread = Math.sqrt(items * share * (1 - share))
  const first = Math.max(0, Math.floor(items * share - REACH * spread))
  const last = Math.min(items, Math.ceil(items * share + REACH * spread))
  const stride = Math.max(1, Math.ceil((last - first) / STEPS))
  const counts = Array.from({ length: Math.floor((last - first) / stride) + 1 }, (_, index) => first + index * stride)
  const upTo = counts.map((count) => (count + stride > last ? 1 : binomialUpTo(count + Math.floor(stride / 2), items, share)))
  return counts.map((count, index) => ({ count, chance: (upTo[index] as number) - (index === 0 ? 0 : (upTo[index - 1] as number)) }))
}

/** Chance of at most so many of a binomial, summed from its likeliest end. */
function binomialUpTo(most: number, trials: number, share: number): number {
  if (most < 0) return 0
  if (most >= trials || share <= 0) return 1
  if (share >= 1) return 0
  if (most > trials * share) return 1 - sumDown(trials - most - 1, trials, 1 - share)
  return sumDown(most, trials, share)
}

/** Terms fall from the last on, as it lies below the mean. */
function sumDown(most: number, trials: number, share: number): number {
  let term = Math.exp(logChoose(trials, most) + most * Math.log(share) + (trials - most) * Math.log1p(-share))
  let sum = 0
  for (let count = most; count >= 0 && term > sum * 1e-14; count -= 1) {
    sum += term
    term *= (count / (trials - count + 1)) * ((1 - share) / share)
  }
  return Math.min(1, sum)
}

const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k)

/** Stirling's series, exact to 1e-10 from 10 on. */
function logFactorial(n: number): number {
  if (n < 10) return Math.log([1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880][n] as number)
  return (n + 0.5) * Math.log(n) - n + Math.log(2 * Math.PI) / 2 + 1 / (12 * n) - 1 / (360 * n ** 3) + 1 / (1260 * n ** 5)
}
