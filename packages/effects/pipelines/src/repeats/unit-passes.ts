// The two passes over units that find repeated text. The first notes a key for each representative of the windows of all documents that are left, the second a key for each window
// whose representative occurs twice: windows whose representative is alone are alone too, so nearly all keys are spared.

import { representatives, windowHashes, wordHashes } from '@ironlaw/text'
import { ENTRY_BYTES, keyTable } from '../passes/keys.ts'
import { type Pipeline, sourceOf, substringsOf } from '../pipeline.ts'
import { createTally, type Tally } from '../tally.ts'
import type { Unit } from '../unit.ts'
import { writeContent, writeJson } from '../work-directory.ts'
import { type Keyed, readNumbers } from './partition-passes.ts'
import { survivingDocuments } from './survivors.ts'

const stepOf = ({ stepNames, duplicates }: Pipeline): string => stepNames[duplicates?.place as number] as string

const tallyOf = (pipeline: Pipeline, unit: Unit): Tally => createTally(unit, sourceOf(pipeline, unit).name, pipeline.stepNames)

/** Representatives are numbered in the order of the unit. */
export async function noteRepresentatives(pipeline: Pipeline, unit: Unit): Promise<void> {
  const { words: length, partitions } = substringsOf(pipeline)
  const tally = tallyOf(pipeline, unit)
  const keys = keyTable(partitions)
  let number = 0
  for await (const documents of survivingDocuments(pipeline, unit, { tally })) {
    const from = performance.now()
    for (const { text } of documents)
      representatives(wordHashes(text), length).forEach(({ high, low }) => {
        keys.add(high, low, number)
        number += 1
      })
    tally.spend(stepOf(pipeline), performance.now() - from)
  }
  const { files } = pipeline
  await writeKeys({ keys: files.representatives(unit.number), done: files.represented(unit.number) }, keys.sorted(), tally)
}

type KeyPaths = { readonly keys: string; readonly done: string }

async function writeKeys(
  { keys, done }: KeyPaths,
  { entries, starts }: { readonly entries: Uint8Array; readonly starts: readonly number[] },
  tally: Tally,
): Promise<void> {
  const from = performance.now()
  await writeContent(keys, entries)
  tally.spend('write', performance.now() - from)
  const keyed: Keyed = { partitions: starts, seconds: tally.seconds() }
  await writeJson(done, keyed)
}

/** Windows that may be repeated: of a record those from `first` on, so many. Windows are numbered in this order. */
export type Run = { readonly record: number; readonly first: number; readonly count: number }

const RUN_WORDS = 3

/** @param partitions of the keys of windows, which depend on how many there are */
export async function noteWindows(pipeline: Pipeline, unit: Unit, partitions: number): Promise<void> {
  const { words: length } = substringsOf(pipeline)
  const { files } = pipeline
  const tally = tallyOf(pipeline, unit)
  const isRepeated = await readNumbers(pipeline, files.sifted, { unit: unit.number, partitions: substringsOf(pipeline).partitions })
  const keys = keyTable(partitions)
  const runs: number[] = []
  let [representative, number] = [0, 0]
  for await (const documents of survivingDocuments(pipeline, unit, { tally })) {
    const from = performance.now()
    for (const { text, record } of documents) {
      const words = wordHashes(text)
      const before = runs.length
      representatives(words, length).forEach(({ first, end }) => {
        if (isRepeated.has(representative)) runs.push(record, first, end - first)
        representative += 1
      })
      if (runs.length === before) continue
      const { highs, lows } = windowHashes(words, length)
      for (let run = before; run < runs.length; run += RUN_WORDS) {
        const [first, count] = [runs[run + 1] as number, runs[run + 2] as number]
        for (let window = first; window < first + count; window += 1) {
          keys.add(highs[window] as number, lows[window] as number, number)
          number += 1
        }
      }
    }
    tally.spend(stepOf(pipeline), performance.now() - from)
  }
  await writeContent(files.runs(unit.number), new Uint8Array(Uint32Array.from(runs).buffer))
  await writeKeys({ keys: files.windows(unit.number), done: files.windowed(unit.number) }, keys.sorted(), tally)
}

export function* runsOf(words: Uint32Array): Generator<Run> {
  for (let at = 0; at < words.length; at += RUN_WORDS)
    yield { record: words[at] as number, first: words[at + 1] as number, count: words[at + 2] as number }
}

/** A representative stands for a quarter of a window's words on average. */
const WINDOWS_A_REPRESENTATIVE = 0.25
const PARTITION_BYTES = 128e6
const MOST_PARTITIONS = 1024

/** As many as keep the keys of one in memory. */
export function windowPartitions(repeated: number, words: number): number {
  const bytes = repeated * WINDOWS_A_REPRESENTATIVE * words * ENTRY_BYTES
  return 2 ** Math.ceil(Math.log2(Math.min(MOST_PARTITIONS, Math.max(1, bytes / PARTITION_BYTES))))
}
