// How much of a text are repeated runs of tokens (n-grams), Rae et al. 2021, section A.1.1. A run of n tokens can only be repeated if all runs of two in it
// are, so one table of runs of two bounds the rest: most texts need no further table.

import { mixed } from '../near-duplicates/words.ts'
import { BASE, type TextScan } from './scan.ts'

export type Repetition = {
  /**
   * Characters of the most common run of n tokens in all its places (with the spaces between tokens) as a share of the text; of runs that are
   * equally common the first counts. Exact where it is above the limit.
   */
  readonly mostCommon: (n: number, limit: number) => number
  /** Characters in runs of n tokens that were there before, none counted twice, as a share of the text. Exact where it is above the limit. */
  readonly repeated: (n: number, limit: number) => number
}

type Runs = { readonly n: number; readonly scan: TextScan; readonly power: number }

const runsOf = (scan: TextScan, n: number): Runs => {
  let power = 1
  for (let i = 0; i < n; i += 1) power = Math.imul(power, BASE)
  return { n, scan, power }
}

const runHash = ({ n, scan, power }: Runs, start: number): number =>
  mixed((scan.polynomials[start + n] as number) - Math.imul(scan.polynomials[start] as number, power)) | 0

const charactersOf = (scan: TextScan, start: number, n: number): number =>
  (scan.characters[start + n] as number) - (scan.characters[start] as number)

// Buffers for all texts. The table holds places + 1, 0 where it is empty.
let table = new Int32Array(1 << 15)
let hashes = new Int32Array(1 << 14)
let firsts = new Int32Array(1 << 14)
let counts = new Int32Array(1 << 14)

/** Makes room for runs, and returns the mask of the emptied table. */
function emptied(runs: number): number {
  let size = 1 << 8
  while (size < 2 * runs) size *= 2
  if (table.length < size) table = new Int32Array(size)
  else table.fill(0, 0, size)
  if (hashes.length < runs) hashes = new Int32Array(size)
  return size - 1
}

/** The place of the first run with this hash that was found; this place if none was. */
function firstPlace(hash: number, place: number, mask: number): number {
  let slot = hash & mask
  for (let found = table[slot] as number; found !== 0; found = table[slot] as number) {
    if (hashes[found - 1] === hash) return found - 1
    slot = (slot + 1) & mask
  }
  table[slot] = place + 1
  hashes[place] = hash
  return place
}

/** Fills firsts and counts for runs of two. */
function countPairs(scan: TextScan): void {
  const runs = runsOf(scan, 2)
  const pairs = scan.tokens - 1
  const mask = emptied(pairs)
  if (firsts.length < pairs) firsts = new Int32Array(mask + 1)
  if (counts.length < pairs) counts = new Int32Array(mask + 1)
  for (let place = 0; place < pairs; place += 1) {
    const first = firstPlace(runHash(runs, place), place, mask)
    firsts[place] = first
    if (first === place) counts[place] = 1
    else counts[first] = (counts[first] as number) + 1
  }
}

const LONGEST_REPEATED = 10
const LONGEST_MOST_COMMON = 4

/** By n: characters of tokens in unbroken rows of at least n - 1 repeated pairs, more than which no repeated runs of n can have. */
function rowCharacters(scan: TextScan): number[] {
  const sums = Array.from({ length: LONGEST_REPEATED + 1 }, () => 0)
  let row = 0
  for (let place = 0; place < scan.tokens; place += 1) {
    if (place < scan.tokens - 1 && firsts[place] !== place) {
      row += 1
      continue
    }
    // The row of pairs ends with the second token of the last pair, which is this one.
    const characters = row === 0 ? 0 : charactersOf(scan, place - row, row + 1)
    for (let n = 2; n <= LONGEST_REPEATED && n <= row + 1; n += 1) sums[n] = (sums[n] as number) + characters
    row = 0
  }
  return sums
}

const countOfPair = (place: number): number => counts[firsts[place] as number] as number

/** Calls back with the start of each run of n tokens whose pairs all occur more than once, from left to right. */
function forEachCandidate({ n, scan }: Runs, run: (start: number) => void): void {
  let row = 0
  for (let place = 0; place < scan.tokens - 1; place += 1) {
    row = countOfPair(place) > 1 ? row + 1 : 0
    if (row >= n - 1) run(place - n + 2)
  }
}

/** Characters of the most common run in all its places, spaces between tokens included. */
function mostCommonCharacters(runs: Runs): number {
  const { n, scan } = runs
  const mask = emptied(scan.tokens)
  const runCounts = new Map<number, number>()
  forEachCandidate(runs, (start) => {
    const first = firstPlace(runHash(runs, start), start, mask)
    runCounts.set(first, (runCounts.get(first) ?? 0) + 1)
  })
  let [best, most] = [0, 1]
  for (const [place, count] of runCounts) if (count > most) [best, most] = [place, count]
  return most * (charactersOf(scan, best, n) + n - 1)
}

function repeatedCharacters(runs: Runs): number {
  const mask = emptied(runs.scan.tokens)
  let [open, characters] = [0, 0]
  forEachCandidate(runs, (start) => {
    if (start < open || firstPlace(runHash(runs, start), start, mask) === start) return
    characters += charactersOf(runs.scan, start, runs.n)
    open = start + runs.n
  })
  return characters
}

/** No run of n is more common than its first two tokens, and none of fewer tokens has more characters. */
function mostCommonBound(scan: TextScan, n: number): number {
  let bound = 0
  for (let start = 0; start + 1 < scan.tokens; start += 1) {
    const size = Math.min(n, scan.tokens - start)
    bound = Math.max(bound, countOfPair(start) * (charactersOf(scan, start, size) + size - 1))
  }
  return bound
}

/** Valid until the next text. */
export function repetition(scan: TextScan): Repetition {
  const { length } = scan.text
  let rows: readonly number[] | undefined
  let bound: number | undefined
  if (scan.tokens > 1) countPairs(scan)
  return {
    mostCommon: (n, limit) => {
      if (scan.tokens < n) return 0
      bound ??= mostCommonBound(scan, LONGEST_MOST_COMMON) / length
      return bound <= limit ? bound : mostCommonCharacters(runsOf(scan, n)) / length
    },
    repeated: (n, limit) => {
      if (scan.tokens < n) return 0
      rows ??= rowCharacters(scan)
      const most = (rows[n] as number) / length
      return most <= limit ? most : repeatedCharacters(runsOf(scan, n)) / length
    },
  }
}
