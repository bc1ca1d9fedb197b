// What the write pass cuts out of the documents of a unit: every word in a window that is there before.

import { type WordRange, withoutWords } from '@ironlaw/text'
import type { Document } from '../document.ts'
import { wordsOf } from '../passes/cluster.ts'
import type { Pipeline } from '../pipeline.ts'
import type { Tally } from '../tally.ts'
import type { Unit } from '../unit.ts'
import { readNumbers } from './partition-passes.ts'
import { partitionsOfWindows } from './run-repeats.ts'
import { runsOf } from './unit-passes.ts'

/** By record the words to cut. */
export type Cuts = ReadonlyMap<number, readonly WordRange[]>

/** A document that keeps fewer words is dropped. */
export const LEAST_WORDS = 5

const REASON = 'repeated text'

/** None where repeated text is left. */
export async function readCuts(pipeline: Pipeline, unit: Unit): Promise<Cuts> {
  const { files, duplicates } = pipeline
  if (!duplicates?.substrings) return new Map()
  const { words: length } = duplicates.substrings
  const partitions = await partitionsOfWindows(pipeline)
  const isBefore = await readNumbers(pipeline, files.found, { unit: unit.number, partitions })
  const cuts = new Map<number, WordRange[]>()
  let number = 0
  for (const { record, first, count } of runsOf(await wordsOf(files.runs(unit.number)))) {
    for (let window = first; window < first + count; window += 1, number += 1) {
      if (!isBefore.has(number)) continue
      const ranges = cuts.get(record) ?? []
      cuts.set(record, ranges)
      const last = ranges.at(-1)
      if (last && window <= last.to) ranges[ranges.length - 1] = { from: last.from, to: window + length }
      else ranges.push({ from: window, to: window + length })
    }
  }
  return cuts
}

/** Those that keep enough words, in order. */
export function cutDocuments(
  cuts: Cuts,
  documents: readonly Document[],
  { tally, place }: { readonly tally: Tally; readonly place: number },
): readonly Document[] {
  return documents.filter((document) => {
    const ranges = cuts.get(document.record)
    if (!ranges) return true
    const before = document.text
    const { text, words, removed } = withoutWords(before, ranges)
    const isDropped = words < LEAST_WORDS
    const bytes = Math.max(0, Buffer.byteLength(before) - (isDropped ? 0 : Buffer.byteLength(text)))
    tally.drop(place, { document: { record: document.record, text: removed }, reason: REASON, bytes, documents: isDropped ? 1 : 0 })
    document.text = text
    document.isChanged = true
    return !isDropped
  })
}
