// What is kept of too many names, so that sums of sums stay exact: the first of a sum are among the first of its parts.

import { OTHER_WORDS } from './profile-counter.ts'

/** Of one feature over all sources: hashed words of one gateway are at most 64, but not always the same. */
const MOST_MERGED_WORDS = 1024

export const firstByName = <Value>(entries: readonly (readonly [string, Value])[], most: number): readonly (readonly [string, Value])[] =>
  entries.length <= most ? entries : entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).slice(0, most)

/** The others are counted together, so that the sum of all stays what it was. */
export function wordsWithinMost(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  if (counts.size <= MOST_MERGED_WORDS) return counts
  const named = [...counts].filter(([word]) => word !== OTHER_WORDS)
  const kept = firstByName(named, MOST_MERGED_WORDS - 1)
  const all = counts.values().reduce((sum, count) => sum + count, 0)
  return new Map([...kept, [OTHER_WORDS, all - kept.reduce((sum, [, count]) => sum + count, 0)]])
}
