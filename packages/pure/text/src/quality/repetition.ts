// How much of a text are repeated runs of tokens (n-grams), Rae et al. 2021, section A.1.1. A run of n tokens can only be repeated if all runs of two in it
// are, so one table of runs of two bounds the rest: most texts need no further table.

import { BASE, type TextScan } from './scan.ts'

export type Repetition = {
  /**
   * Characters of the most common run of n tokens in all its places (with the spaces between tokens) as a share of the text; of runs that are
   * equally common the first counts. Exact where it is above the limit.
   */
  readonly mostCommon: (n: number, limit: number) => number
  /** Characters in runs of n tokens (5 to 10) that were there before, none counted twice, as a share of the text. Exact where it is above the limit. */
  readonly repeated: (n: number, limit: number) => number
}

type Runs = { readonly n: number; readonly scan: TextScan; readonly power: number }

const runsOf = (scan: TextScan, n: number): Runs => {
  let power = 1
  for (let i = 0; i < n; i += 1) power = Math.imul(power, BASE)
  return { n, scan, power }
}

/** Not mixed: the hashes of tokens are, and a sum of them spreads as well. */
const runHash = ({ n, scan, power }: Runs, start: number): number =>
  ((scan.polynomials[start + n] as number) - Math.imul(scan.polynomials[start] as number, power)) | 0

const charactersOf = (scan: TextScan, start: number, n: number): number =>
  (scan.characters[start + n] as number) - (scan.characters[start] as number)

// Buffers for all texts.
let slots = new Int32Array(1 << 15)
let hashes = new Int32Array(1 << 14)
let firsts = new Int32Array(1 << 14)
let counts = new Int32Array(1 << 14)
/** Places of pairs that were there before, in order. */
let agains = new Int32Array(1 << 14)
let againCount = 0

/** Slots hold places + 1, 0 where they are empty. */
type Table = { readonly slots: Int32Array; readonly hashes: Int32Array; readonly mask: number }

/** Slots for each run: the fewer are taken, the more often the first look finds what it looks for. */
const ROOM = 4

function emptyTable(runs: number): Table {
  let size = 1 << 8
  while (size < ROOM * runs) size *= 2
  if (slots.length < size) slots = new Int32Array(size)
  else slots.fill(0, 0, size)
  if (hashes.length < runs) hashes = new Int32Array(size)
  return { slots, hashes, mask: size - 1 }
}

/** The place of the first run with this hash that was found; this place if none was. */
function firstPlace(table: Table, hash: number, place: number): number {
  let slot = hash & table.mask
  for (let found = table.slots[slot] as number; found !== 0; found = table.slots[slot] as number) {
    if (table.hashes[found - 1] === hash) return found - 1
    slot = (slot + 1) & table.mask
  }
  table.slots[slot] = place + 1
  table.hashes[place] = hash
  return place
}

/** Fills firsts, counts and agains for runs of two. Which pairs are repeated cannot be foreseen, so nothing branches on it. */
function countPairs(scan: TextScan): void {
  const runs = runsOf(scan, 2)
  const pairs = scan.tokens - 1
  const table = emptyTable(pairs)
  if (firsts.length < pairs) [firsts, counts, agains] = [new Int32Array(2 * pairs), new Int32Array(2 * pairs), new Int32Array(2 * pairs)]
  const [ownFirsts, ownCounts, ownAgains] = [firsts, counts, agains]
  ownCounts.fill(0, 0, pairs)
  let repeated = 0
  for (let place = 0; place < pairs; place += 1) {
    const first = firstPlace(table, runHash(runs, place), place)
    ownFirsts[place] = first
    ownCounts[first] = (ownCounts[first] as number) + 1
    ownAgains[repeated] = place
    repeated += Number(first !== place)
  }
  againCount = repeated
}

const SHORTEST_REPEATED = 5
const LONGEST_REPEATED = 10
const LONGEST_MOST_COMMON = 4

/** By n: characters of tokens in unbroken rows of at least n - 1 repeated pairs, more than which no repeated runs of n can have. */
function rowCharacters(scan: TextScan): number[] {
  const sums = Array.from({ length: LONGEST_REPEATED + 1 }, () => 0)
  const places = agains
  const ahead = SHORTEST_REPEATED - 2
  for (let i = 0; i + ahead < againCount; i += 1) {
    const start = places[i] as number
    // Nearly all rows are shorter.
    if (places[i + ahead] !== start + ahead) continue
    while (i + 1 < againCount && places[i + 1] === (places[i] as number) + 1) i += 1
    const tokens = (places[i] as number) - start + 2
    const characters = charactersOf(scan, start, tokens)
    for (let n = SHORTEST_REPEATED; n <= LONGEST_REPEATED && n <= tokens; n += 1) sums[n] = (sums[n] as number) + characters
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
  const table = emptyTable(scan.tokens)
  const runCounts = new Map<number, number>()
  forEachCandidate(runs, (start) => {
    const first = firstPlace(table, runHash(runs, start), start)
    runCounts.set(first, (runCounts.get(first) ?? 0) + 1)
  })
  let [best, most] = [0, 1]
  for (const [place, count] of runCounts) if (count > most) [best, most] = [place, count]
  return most * (charactersOf(scan, best, n) + n - 1)
}

function repeatedCharacters(runs: Runs): number {
  const table = emptyTable(runs.scan.tokens)
  let [open, characters] = [0, 0]
  forEachCandidate(runs, (start) => {
    if (start < open || firstPlace(table, runHash(runs, start), start) === start) return
    characters += charactersOf(runs.scan, start, runs.n)
    open = start + runs.n
  })
  return characters
}

/**
 * No run of n is more common than its first two tokens, and none of fewer tokens has more characters. Where none is repeated, the first run of the text is the
 * most common.
 */
function mostCommonBound(scan: TextScan, n: number): number {
  const { characters, tokens } = scan
  const [places, own, ownCounts] = [agains, firsts, counts]
  const spaced = (start: number): number => (characters[Math.min(start + n, tokens)] as number) - (characters[start] as number) + n - 1
  let bound = spaced(0)
  for (let i = 0; i < againCount; i += 1) {
    const again = places[i] as number
    const first = own[again] as number
    bound = Math.max(bound, (ownCounts[first] as number) * Math.max(spaced(again), spaced(first)))
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
