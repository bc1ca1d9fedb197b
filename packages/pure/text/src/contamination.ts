// Whether a text holds items of an evaluation. Runs of 13 words are compared (Brown et al. 2020, appendix C), by the words of near-duplicates: case,
// punctuation and line breaks do not hide a copy.

import { mixed, wordHashes } from './near-duplicates/words.ts'

export type ContaminationIndex = {
  /** Items of which the text holds a run of words, with the number of different runs in common, by item. */
  readonly hits: (text: string) => ReadonlyMap<string, number>
  /** Items that are long enough to be found. */
  readonly searched: ReadonlySet<string>
}

const RUN_WORDS = 13
const SHORTEST = 8
const BASE = 0x050c5d1f
const OTHER_BASE = 0x2545f491

/** Items by the hashes of their runs, which have from 8 to 13 words. */
type RunItems = Map<number, readonly string[]>

/** Of 52 bits. */
function runHash(words: Int32Array, start: number, length: number): number {
  let low = length
  let high = ~length
  for (let i = start; i < start + length; i += 1) {
    low = mixed(low ^ (words[i] as number))
    high = (Math.imul(high, OTHER_BASE) + (words[i] as number)) | 0
  }
  return (mixed(high) >>> 12) * 2 ** 32 + low
}

const LEAVING = Array.from({ length: SHORTEST }).reduce((power: number) => Math.imul(power, BASE), 1)

/** Calls back with the start of each eight words in a row and their hash, a polynomial that is rolled on from word to word. */
function forEachStart(words: Int32Array, at: (start: number, hash: number) => void): void {
  let rolling = 0
  for (let i = 0; i < words.length; i += 1) {
    rolling = (Math.imul(rolling, BASE) + (words[i] as number)) | 0
    if (i >= SHORTEST) rolling = (rolling - Math.imul(words[i - SHORTEST] as number, LEAVING)) | 0
    if (i >= SHORTEST - 1) at(i + 1 - SHORTEST, mixed(rolling))
  }
}

/** Bits by the hash of the first eight words of a run: nearly no place of a text has to be looked at closer. */
type Filter = { readonly bits: Uint32Array; readonly mask: number }

const BITS_A_START = 32

function filterOf(starts: readonly number[]): Filter {
  const size = 2 ** Math.ceil(Math.log2(BITS_A_START * (starts.length + 1)))
  const bits = new Uint32Array(size / 32)
  for (const hash of starts) {
    const bit = (hash & (size - 1)) >>> 0
    bits[bit >>> 5] = (bits[bit >>> 5] as number) | (1 << (bit & 31))
  }
  return { bits, mask: size - 1 }
}

/** @param items texts of evaluation items by id; those shorter than eight words cannot be told from common phrases and are left out */
export function contaminationIndex(items: Iterable<readonly [id: string, text: string]>): ContaminationIndex {
  const runItems: RunItems = new Map()
  const starts: number[] = []
  const lengths = new Set<number>()
  const searched = new Set<string>()
  for (const [id, text] of items) {
    const words = wordHashes(text)
    // An item with fewer words than a run is one run of all.
    const length = Math.min(RUN_WORDS, words.length)
    forEachStart(words, (start, hash) => {
      if (start + length > words.length) return
      lengths.add(length)
      searched.add(id)
      starts.push(hash)
      const run = runHash(words, start, length)
      const ids = runItems.get(run) ?? []
      if (ids.at(-1) !== id) runItems.set(run, [...ids, id])
    })
  }
  const filter = filterOf(starts)
  return { hits: (text) => countHits(foundRuns(wordHashes(text), { runItems, filter, lengths: [...lengths] })), searched }
}

type Index = { readonly runItems: RunItems; readonly filter: Filter; readonly lengths: readonly number[] }

/** Runs of the text that are in the index, each once; undefined if there are none. */
function foundRuns(words: Int32Array, { runItems, filter, lengths }: Index): RunItems | undefined {
  const { bits, mask } = filter
  let found: RunItems | undefined
  forEachStart(words, (start, hash) => {
    const bit = hash & mask
    if ((((bits[bit >>> 5] as number) >>> (bit & 31)) & 1) === 0) return
    for (const length of lengths) {
      if (start + length > words.length) continue
      const run = runHash(words, start, length)
      const ids = runItems.get(run)
      if (ids !== undefined) (found ??= new Map()).set(run, ids)
    }
  })
  return found
}

const NO_HITS: ReadonlyMap<string, number> = new Map()

function countHits(found: RunItems | undefined): ReadonlyMap<string, number> {
  if (found === undefined) return NO_HITS
  const hits = new Map<string, number>()
  for (const ids of found.values()) for (const id of ids) hits.set(id, (hits.get(id) ?? 0) + 1)
  return hits
}
