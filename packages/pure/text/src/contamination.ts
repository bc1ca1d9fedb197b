// Whether a text holds items of an evaluation. Runs of 13 words are compared (Brown et al. 2020, appendix C), by the words of near-duplicates: case,
// punctuation and line breaks do not hide a copy.

import { mixed, wordHashes } from './near-duplicates/words.ts'

export type ContaminationIndex = {
  /** Items of which the text holds a run of words, with the number of runs in common, by item. */
  readonly hits: (text: string) => ReadonlyMap<string, number>
}

const RUN_WORDS = 13
const BASE = 0x050c5d1f

/** Runs of a text as hashes of 52 bits; an item with fewer words than a run is one run of all, if it has at least eight. */
function runHashes(text: string, lengths: readonly number[]): Set<number>[] {
  const words = wordHashes(text)
  return lengths.map((length) => {
    const runs = new Set<number>()
    for (let start = 0; start + length <= words.length; start += 1) {
      let low = length
      let high = ~length
      for (let i = start; i < start + length; i += 1) {
        low = mixed(low ^ (words[i] as number))
        high = (Math.imul(high, BASE) + (words[i] as number)) | 0
      }
      runs.add((mixed(high) >>> 12) * 2 ** 32 + low)
    }
    return runs
  })
}

const SHORTEST = 8

/** @param items texts of evaluation items by id; those shorter than eight words cannot be told from common phrases and are left out */
export function contaminationIndex(items: Iterable<readonly [id: string, text: string]>): ContaminationIndex {
  const byLength = new Map<number, Map<number, string[]>>()
  for (const [id, text] of items) {
    const length = Math.min(RUN_WORDS, wordHashes(text).length)
    if (length < SHORTEST) continue
    const ids = byLength.get(length) ?? new Map<number, string[]>()
    byLength.set(length, ids)
    for (const runs of runHashes(text, [length])) for (const run of runs) ids.set(run, [...(ids.get(run) ?? []), id])
  }
  const lengths = [...byLength.keys()].toSorted((a, b) => a - b)
  return {
    hits: (text) => {
      const hits = new Map<string, number>()
      for (const [i, runs] of runHashes(text, lengths).entries()) {
        const ids = byLength.get(lengths[i] as number)
        for (const run of runs) for (const id of ids?.get(run) ?? []) hits.set(id, (hits.get(id) ?? 0) + 1)
      }
      return hits
    },
  }
}
