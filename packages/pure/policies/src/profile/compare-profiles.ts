// How far two profiles are apart, feature by feature, each figure beside what chance alone gives for so many rows: with enough rows every shift is
// certain and with few of them every shift is noise, and a distance alone says neither.

import { js, psi } from '@ironlaw/laws/drift/distance'
import { ksCriticalTwoSample } from '@ironlaw/laws/drift/significance'
import { normalQuantile } from '@ironlaw/laws/normal'
import type { Profile, Sketch } from '@ironlaw/contracts/profile'
import { scalar } from '@ironlaw/units'
import { type Bin, sortedBins, valueOf } from './bins.ts'
import { countedIn } from './merge-profiles.ts'
import { percentileOfBins } from './percentile.ts'
import { OTHER_WORDS } from './profile-counter.ts'

/** Ending of the feature that says in how many rows a column had a value. A row without the column at all is not counted in it. */
export const PRESENT = '.present'

/** That chance alone takes any of the features beyond its limit, for independent rows. */
const RISK = 0.05
const PSI_BINS = 10

type Apart = { readonly feature: string; readonly before: number; readonly after: number; readonly beyond_chance: boolean }

export type NumbersApart = Apart & {
  readonly kind: 'numbers'
  readonly mean_before: number
  readonly mean_after: number
  /** In standard deviations of the first; absent where all its numbers are equal. */
  readonly mean_shift?: number
  readonly ks: number
  readonly ks_limit: number
  /** Over ten bins of equal share of the first, fewer where numbers repeat; absent where they leave one. */
  readonly psi?: number
  readonly psi_by_chance?: number
}

export type WordsApart = Apart & {
  readonly kind: 'words'
  readonly js_nats: number
  readonly js_by_chance_nats: number
  readonly js_limit_nats: number
  readonly largest_change: { readonly word: string; readonly before: number; readonly after: number }
}

export type ProfileComparison = {
  readonly rows: { readonly before: number; readonly after: number }
  readonly features: readonly (NumbersApart | WordsApart)[]
  /** Counted in one of them, or in each in another way. */
  readonly not_compared: readonly { readonly feature: string; readonly only_in: 'before' | 'after' | 'both, in two ways' }[]
}

export function compareProfiles(before: Profile, after: Profile): ProfileComparison {
  const names = [...new Set([...Object.keys(before.features), ...Object.keys(after.features)])]
  const pairs = names.map((feature) => ({ feature, one: sketchOf(before, feature), other: sketchOf(after, feature) }))
  const comparable = pairs.filter(({ one, other }) => one && other && one.kind === other.kind)
  const risk = RISK / Math.max(1, comparable.length)
  return {
    rows: { before: before.rows, after: after.rows },
    features: comparable.flatMap(({ feature, one, other }): readonly (NumbersApart | WordsApart)[] => {
      if (one?.kind === 'numbers' && other?.kind === 'numbers') return [numbersApart({ feature, one: one.bins, other: other.bins, risk })]
      return one?.kind === 'words' && other?.kind === 'words' ? [wordsApart({ feature, one: one.counts, other: other.counts, risk })] : []
    }),
    not_compared: pairs
      .filter((pair) => !comparable.includes(pair))
      .map(({ feature, one, other }) => ({ feature, only_in: one && other ? 'both, in two ways' : one ? 'before' : 'after' })),
  }
}

/** Undefined also where nothing was counted. */
function sketchOf({ rows, features }: Profile, feature: string): Sketch | undefined {
  const sketch = Object.hasOwn(features, feature) ? features[feature] : undefined
  if (!sketch || countedIn(sketch) === 0) return undefined
  if (!feature.endsWith(PRESENT) || sketch.kind !== 'words') return sketch
  const yes = rowsPresent(features, feature)
  return { kind: 'words', counts: { yes, no: Math.max(0, rows - yes) } }
}

/**
 * Rows in which the column of a `.present` feature had a value. A disclosed profile says of both words only how many they are together where one of them is
 * too rare to show: nearly all rows have a value if anything else of the column is shown, and nearly none if not.
 */
export function rowsPresent(features: Profile['features'], feature: string): number {
  const sketch = features[feature]
  if (sketch?.kind !== 'words') return 0
  const { yes = 0, [OTHER_WORDS]: either = 0 } = sketch.counts
  const column = feature.slice(0, -PRESENT.length)
  const isShown = (name: string): boolean =>
    name !== feature && (name === column || name.startsWith(`${column}.`) || name === `${column}-1`)
  return yes + (either > 0 && Object.keys(features).some(isShown) ? either : 0)
}

type Counts = Readonly<Record<string, number>>
type Pair = { readonly feature: string; readonly one: Counts; readonly other: Counts; readonly risk: number }

const chanceOf = (before: number, after: number): number => 1 / before + 1 / after

function numbersApart({ feature, one, other, risk }: Pair): NumbersApart {
  const [first, second] = [summaryOf(one), summaryOf(other)]
  const [before, after] = [first.counted, second.counted]
  const limit = ksCriticalTwoSample.of({
    samplesA: scalar(before),
    samplesB: scalar(after),
    coefficient: scalar(Math.sqrt(Math.log(2 / risk) / 2)),
  })
  const ks = largestGap(first.bins, second.bins, { before, after })
  return {
    feature,
    kind: 'numbers',
    before,
    after,
    beyond_chance: ks > limit,
    mean_before: first.mean,
    mean_after: second.mean,
    ...(first.deviation > 0 && { mean_shift: (second.mean - first.mean) / first.deviation }),
    ks,
    ks_limit: limit,
    ...psiOf(first, second),
  }
}

type Bins = readonly Bin[]

export type NumbersSummary = {
  readonly bins: Bins
  readonly counted: number
  readonly mean: number
  readonly deviation: number
  /** The value that this share of the numbers lies at or below. */
  readonly quantile: (share: number) => number
}

/** Each within the width of a bin, 0.8 %, of the exact one. */
export function summaryOf(counts: Counts): NumbersSummary {
  const bins = sortedBins(counts)
  const counted = bins.reduce((sum, [, count]) => sum + count, 0)
  const mean = bins.reduce((sum, [bin, count]) => sum + count * valueOf(bin), 0) / counted
  const deviation = Math.sqrt(bins.reduce((sum, [bin, count]) => sum + count * (valueOf(bin) - mean) ** 2, 0) / counted)
  const quantile = (share: number): number => percentileOfBins(bins, share) ?? 0
  return { bins, counted, mean, deviation, quantile }
}

/** Between the shares that lie at or below each bin. */
function largestGap(one: Bins, other: Bins, { before, after }: { readonly before: number; readonly after: number }): number {
  const steps = [
    ...one.map(([bin, count]) => [bin, count / before] as const),
    ...other.map(([bin, count]) => [bin, -count / after] as const),
  ].toSorted(([a], [b]) => a - b)
  let [gap, largest] = [0, 0]
  for (const [index, [bin, step]] of steps.entries()) {
    gap += step
    if (steps[index + 1]?.[0] !== bin) largest = Math.max(largest, Math.abs(gap))
  }
  return largest
}

function psiOf(one: NumbersSummary, other: NumbersSummary): Pick<NumbersApart, 'psi' | 'psi_by_chance'> {
  const edges = equalShares(one)
  const groups = edges.length + 1
  if (groups < 2) return {}
  return {
    psi: psi.of({ expected: sharesBetween(one, edges), actual: sharesBetween(other, edges) }),
    psi_by_chance: (groups - 1) * chanceOf(one.counted, other.counted),
  }
}

/** The last bin of each group but the last one. A bin that holds several shares ends them all. */
function equalShares({ bins, counted }: NumbersSummary): readonly number[] {
  const edges: number[] = []
  let [below, shares] = [0, 1]
  for (const [bin, count] of bins.slice(0, -1)) {
    below += count
    const full = Math.floor((below * PSI_BINS) / counted)
    if (full < shares) continue
    edges.push(bin)
    shares = full + 1
  }
  return edges
}

/** Half a row more in each group: none may be empty. */
function sharesBetween({ bins, counted }: NumbersSummary, edges: readonly number[]) {
  const counts = Array.from({ length: edges.length + 1 }, () => 0.5)
  for (const [bin, count] of bins) {
    const group = edges.findIndex((edge) => bin <= edge)
    const index = group === -1 ? edges.length : group
    counts[index] = (counts[index] ?? 0) + count
  }
  return counts.map((count) => scalar(count / (counted + counts.length / 2)))
}

function wordsApart({ feature, one, other, risk }: Pair): WordsApart {
  const [first, second] = alignedWords(one, other)
  const words = [...new Set([...first.keys(), ...second.keys()])]
  const [before, after] = [sumOf(first), sumOf(second)]
  const shares = words.map((word) => ({ word, before: (first.get(word) ?? 0) / before, after: (second.get(word) ?? 0) / after }))
  // Equal shares may come out a rounding below zero.
  const distance = Math.max(0, js.of({ p: shares.map((each) => scalar(each.before)), q: shares.map((each) => scalar(each.after)) }))
  const chance = chanceOf(before, after) / 8
  const limit = chance * chiSquareAbove(words.length - 1, risk)
  const change = (each: (typeof shares)[number]): number => Math.abs(each.after - each.before)
  return {
    feature,
    kind: 'words',
    before,
    after,
    beyond_chance: distance > limit,
    js_nats: distance,
    js_by_chance_nats: chance * (words.length - 1),
    js_limit_nats: limit,
    largest_change: shares.reduce((most, each) => (change(each) > change(most) ? each : most)),
  }
}

/**
 * A disclosed profile counts rare words together, each with words of its own. Where one has such a rest, a word that only one of them has belongs to the
 * rest of both: else a word that is rare in both would be missing in one.
 */
function alignedWords(one: Counts, other: Counts): readonly [ReadonlyMap<string, number>, ReadonlyMap<string, number>] {
  const [first, second] = [positive(one), positive(other)]
  if (!first.has(OTHER_WORDS) && !second.has(OTHER_WORDS)) return [first, second]
  return [withRest(first, second), withRest(second, first)]
}

const positive = (counts: Counts): Map<string, number> => new Map(Object.entries(counts).filter(([, count]) => count > 0))
const sumOf = (counts: ReadonlyMap<string, number>): number => counts.values().reduce((sum, count) => sum + count, 0)

function withRest(counts: ReadonlyMap<string, number>, common: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const kept = new Map([...counts].filter(([word]) => word !== OTHER_WORDS && common.has(word)))
  const rest = sumOf(counts) - sumOf(kept)
  return rest > 0 ? kept.set(OTHER_WORDS, rest) : kept
}

/** What a chi-square of so many degrees exceeds with this probability: E. B. Wilson and M. M. Hilferty, PNAS 17(12), 1931. */
function chiSquareAbove(degrees: number, risk: number): number {
  if (degrees < 1) return 0
  const spread = 2 / (9 * degrees)
  return degrees * (1 - spread + normalQuantile(1 - risk) * Math.sqrt(spread)) ** 3
}
