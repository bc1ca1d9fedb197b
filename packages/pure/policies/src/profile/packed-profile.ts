// Profiles as they are stored and summed: bins and counts in turns, `[bin, count, bin, count]`. A sum over a month reads hundreds of thousands of bins, and
// an object with a key for each takes five times as long to parse and to add up.

import { MOST_FEATURES, type Profile, type Sketch } from '@ironlaw/contracts/profile'
import { type Bin, inOrder } from './bins.ts'
import { firstByName, wordsWithinMost } from './first-by-name.ts'

export type PackedProfile = {
  readonly rows: number
  /** By feature. */
  readonly numbers: Readonly<Record<string, readonly number[]>>
  readonly words: Readonly<Record<string, Readonly<Record<string, number>>>>
}

export function packProfile({ rows, features }: Profile): PackedProfile {
  const entries = Object.entries(features)
  return {
    rows,
    numbers: Object.fromEntries(
      entries.flatMap(([feature, sketch]) =>
        sketch.kind === 'numbers' ? [[feature, Object.entries(sketch.bins).flatMap(([bin, count]) => [Number(bin), count])] as const] : [],
      ),
    ),
    words: Object.fromEntries(entries.flatMap(([feature, sketch]) => (sketch.kind === 'words' ? [[feature, sketch.counts] as const] : []))),
  }
}

/** A sum in the making: the same as `mergeProfiles` of what was added, in any order. */
export class ProfileSum {
  rows = 0
  readonly #numbers = new Map<string, Map<number, number>>()
  readonly #words = new Map<string, Map<string, number>>()

  add({ rows, numbers, words }: PackedProfile): void {
    this.rows += rows
    for (const [feature, bins] of Object.entries(numbers)) addBins(sumOf(this.#numbers, feature), bins)
    for (const [feature, counts] of Object.entries(words)) {
      const sums = sumOf(this.#words, feature)
      for (const [word, count] of Object.entries(counts)) sums.set(word, (sums.get(word) ?? 0) + count)
    }
  }

  addSum(other: ProfileSum): void {
    this.rows += other.rows
    for (const [feature, bins] of other.#numbers) addCounts(sumOf(this.#numbers, feature), bins)
    for (const [feature, counts] of other.#words) addCounts(sumOf(this.#words, feature), counts)
  }

  profile(): Profile {
    return { rows: this.rows, features: Object.fromEntries(this.#names().flatMap((feature) => this.#sketch(feature))) }
  }

  /** Of one feature, in their order; none where it is of words. */
  bins(feature: string): readonly Bin[] {
    return inOrder([...(this.#numbers.get(feature) ?? [])])
  }

  packed(): PackedProfile {
    const names = this.#names()
    return {
      rows: this.rows,
      numbers: Object.fromEntries(
        names.flatMap((feature) => {
          const bins = this.#numbers.get(feature)
          return bins ? [[feature, [...bins].flat()] as const] : []
        }),
      ),
      words: Object.fromEntries(
        names.flatMap((feature) => {
          const counts = this.#numbers.has(feature) ? undefined : this.#words.get(feature)
          return counts ? [[feature, Object.fromEntries(wordsWithinMost(counts))] as const] : []
        }),
      ),
    }
  }

  #names(): readonly string[] {
    const names = new Set([...this.#numbers.keys(), ...this.#words.keys()])
    return firstByName(
      [...names].map((name) => [name, name] as const),
      MOST_FEATURES,
    ).map(([name]) => name)
  }

  #sketch(feature: string): readonly (readonly [string, Sketch])[] {
    const bins = this.#numbers.get(feature)
    if (bins) return [[feature, { kind: 'numbers', bins: Object.fromEntries(bins) }]]
    const counts = this.#words.get(feature)
    return counts ? [[feature, { kind: 'words', counts: Object.fromEntries(wordsWithinMost(counts)) }]] : []
  }
}

function sumOf<Key>(sums: Map<string, Map<Key, number>>, feature: string): Map<Key, number> {
  let own = sums.get(feature)
  if (!own) sums.set(feature, (own = new Map()))
  return own
}

function addBins(sums: Map<number, number>, bins: readonly number[]): void {
  for (let at = 0; at + 1 < bins.length; at += 2) {
    const bin = bins[at] ?? 0
    sums.set(bin, (sums.get(bin) ?? 0) + (bins[at + 1] ?? 0))
  }
}

function addCounts<Key>(sums: Map<Key, number>, counts: ReadonlyMap<Key, number>): void {
  for (const [key, count] of counts) sums.set(key, (sums.get(key) ?? 0) + count)
}
