// A profile as numbers that can be watched: of each feature the mean of scores, one score a row. A feature of numbers gives two streams, of its level and of
// its spread, scored by the normal quantile of each value's rank in the baseline, so that tails cannot rule and a shift is in standard deviations. A feature of
// words gives one for each frequent word, its share.

import type { Profile, Sketch } from '@ironlaw/contracts/profile'
import { normalQuantile } from '@ironlaw/laws/normal'
import { type Bin, sortedBins } from '../profile/bins.ts'

export type StreamKind = 'level' | 'spread' | 'share'

export type Stream = {
  readonly feature: string
  readonly kind: StreamKind
  /** Of kind `share`: whose share it is; of several, all that the baseline does not name. */
  readonly word?: string
  /** Of one score, in the baseline. */
  readonly variance: number
  readonly score: Scorer
}

/** The sum of the scores of a sketch, and of how many. */
type Scorer = (sketch: Sketch) => { readonly sum: number; readonly count: number }

/** One hour of one stream: the mean of `rows` scores. */
export type StreamHour = { readonly hour: number; readonly rows: number; readonly mean: number }

/** Words that fewer rows of the baseline have are watched together. */
const LEAST_SHARE = 0.01
/** Of the words that the baseline does not name, or names rarely. */
export const REST = 'rest'
/** Rows of a feature below which the baseline says too little of it. */
export const LEAST_BASELINE_ROWS = 200

export function streamsOf({ features }: Profile): readonly Stream[] {
  return Object.entries(features).flatMap(([feature, sketch]) =>
    sketch.kind === 'numbers' ? numberStreams(feature, sortedBins(sketch.bins)) : shareStreams(feature, sketch.counts),
  )
}

/** Undefined where nothing of it was counted in that hour. */
export function streamHour(
  { feature, score }: Pick<Stream, 'feature' | 'score'>,
  { hour, profile }: { readonly hour: number; readonly profile: Profile },
): StreamHour | undefined {
  const sketch = Object.hasOwn(profile.features, feature) ? profile.features[feature] : undefined
  if (!sketch) return undefined
  const { sum, count } = score(sketch)
  return count > 0 ? { hour, rows: count, mean: sum / count } : undefined
}

const sumOf = (bins: readonly Bin[]): number => bins.reduce((sum, [, count]) => sum + count, 0)

function numberStreams(feature: string, bins: readonly Bin[]): readonly Stream[] {
  const rows = sumOf(bins)
  // All rows in one bin have no spread, and no shift that could be said in it.
  if (rows < LEAST_BASELINE_ROWS || bins.length < 2) return []
  const levelAt = rankScores(bins, rows)
  const level = momentsOf(bins, levelAt)
  const unit = (bin: number): number => (levelAt(bin) - level.mean) / Math.sqrt(level.variance)
  const spread = momentsOf(bins, (bin) => unit(bin) ** 2)
  const spreadAt = (bin: number): number => (unit(bin) ** 2 - spread.mean) / Math.sqrt(Math.max(spread.variance, Number.MIN_VALUE))
  return [
    { feature, kind: 'level', variance: 1, score: scorerOf(unit) },
    ...(spread.variance > 0 ? [{ feature, kind: 'spread' as const, variance: 1, score: scorerOf(spreadAt) }] : []),
  ]
}

const scorerOf =
  (scoreAt: (bin: number) => number): Scorer =>
  (sketch) => {
    if (sketch.kind !== 'numbers') return { sum: 0, count: 0 }
    let [sum, count] = [0, 0]
    for (const [bin, rows] of Object.entries(sketch.bins)) {
      sum += rows * scoreAt(Number(bin))
      count += rows
    }
    return { sum, count }
  }

function momentsOf(bins: readonly Bin[], scoreAt: (bin: number) => number): { readonly mean: number; readonly variance: number } {
  const rows = sumOf(bins)
  const mean = bins.reduce((sum, [bin, count]) => sum + count * scoreAt(bin), 0) / rows
  return { mean, variance: bins.reduce((sum, [bin, count]) => sum + count * (scoreAt(bin) - mean) ** 2, 0) / rows }
}

/** The normal quantile of the middle of a bin's ranks; what the baseline never had is at the rank between its neighbours. */
function rankScores(bins: readonly Bin[], rows: number): (bin: number) => number {
  const places: number[] = []
  const scores: number[] = []
  const ends: number[] = []
  let below = 0
  for (const [bin, count] of bins) {
    places.push(bin)
    scores.push(normalQuantile((below + count / 2) / rows))
    below += count
    ends.push(below)
  }
  // Beyond the baseline no rank is more certain than half a row.
  const between = (index: number): number => normalQuantile(Math.min(rows - 0.5, Math.max(0.5, ends[index - 1] ?? 0)) / rows)
  return (bin) => {
    const index = firstAtLeast(places, bin)
    return places[index] === bin ? (scores[index] ?? 0) : between(index)
  }
}

function firstAtLeast(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}

function shareStreams(feature: string, counts: Readonly<Record<string, number>>): readonly Stream[] {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (rows < LEAST_BASELINE_ROWS) return []
  const frequent = Object.entries(counts).filter(([, count]) => count / rows >= LEAST_SHARE)
  const named = new Set(frequent.map(([word]) => word))
  const rest = 1 - frequent.reduce((sum, [, count]) => sum + count, 0) / rows
  const shares = frequent.map(([word, count]) => shareStream(feature, word, { share: count / rows, isOf: (each) => each === word }))
  // Of two words either says it all.
  const needed = frequent.length === 2 && rest === 0 ? shares.slice(0, 1) : shares
  return [...needed, shareStream(feature, REST, { share: rest, isOf: (word) => !named.has(word) })]
}

function shareStream(
  feature: string,
  word: string,
  { share, isOf }: { readonly share: number; readonly isOf: (word: string) => boolean },
): Stream {
  const sharesUsed = Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, share))
  const score: Scorer = (sketch) => {
    if (sketch.kind !== 'words') return { sum: 0, count: 0 }
    let [sum, count] = [0, 0]
    for (const [each, rows] of Object.entries(sketch.counts)) {
      if (isOf(each)) sum += rows
      count += rows
    }
    return { sum, count }
  }
  return { feature, kind: 'share', word, variance: sharesUsed * (1 - sharesUsed), score }
}
