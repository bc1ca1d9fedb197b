// Merges by the pair of tokens they join: open addressing over typed arrays. A Map with pairs as keys takes five times the memory and the time.

import { type BpeModel, refused } from './tokenizer-file.ts'

export type MergeTable = {
  /** Where a pair is in `ranks` and `results`; -1 if it does not merge. */
  readonly find: (left: number, right: number) => number
  readonly ranks: Int32Array
  readonly results: Int32Array
}

export function mergeTable({ vocabulary, merges }: Pick<BpeModel, 'vocabulary' | 'merges'>): MergeTable {
  const size = 2 ** Math.ceil(Math.log2(2 * merges.length + 2))
  const lefts = new Int32Array(size).fill(-1)
  const rights = new Int32Array(size)
  const ranks = new Int32Array(size)
  const results = new Int32Array(size)
  const slotOf = (left: number, right: number): number => {
    let slot = (Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)) >>> 0
    for (slot = (slot ^ (slot >>> 15)) & (size - 1); lefts[slot] !== -1; slot = (slot + 1) & (size - 1))
      if (lefts[slot] === left && rights[slot] === right) return slot
    return slot
  }
  const idOf = (token: string): number => {
    const id = vocabulary.get(token)
    if (id === undefined) throw refused(`a merge needs the token ${JSON.stringify(token)}, which the vocabulary lacks`)
    return id
  }
  for (const [rank, [left, right]] of merges.entries()) {
    const leftId = idOf(left)
    const rightId = idOf(right)
    const slot = slotOf(leftId, rightId)
    lefts[slot] = leftId
    rights[slot] = rightId
    ranks[slot] = rank
    results[slot] = idOf(left + right)
  }
  const find = (left: number, right: number): number => {
    const slot = slotOf(left, right)
    return lefts[slot] === -1 ? -1 : slot
  }
  return { find, ranks, results }
}
