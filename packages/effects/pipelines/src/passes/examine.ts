// The first pass where documents are deduplicated: which records of a unit go on, and the keys that their duplicates share.

import { bandKeys, signature } from '@ironlaw/text'
import { contentNumbers } from '../content.ts'
import type { Figures, Seconds } from '../figures.ts'
import { closeSteps, compileSteps, type Duplicates, type Pipeline, sourceOf } from '../pipeline.ts'
import { createTally } from '../tally.ts'
import type { Unit } from '../unit.ts'
import { writeContent, writeJson } from '../work-directory.ts'
import { writeAside } from './aside.ts'
import { applySteps, documentBatches, type SetAside, textBytes } from './flow.ts'
import { type KeyTable, keyTable } from './keys.ts'

/** By record: what the write pass does with it. */
/** A duplicate that is shown as an example is parsed once more. */
export const VERDICT = { dropped: 0, kept: 1, changed: 2, shown: 3 } as const

export type Examined = {
  readonly figures: Figures
  readonly seconds: Seconds
  readonly records: number
  /** Documents that go into deduplication, numbered in the order of their records. */
  readonly documents: number
  readonly bytes: number
  /** Where the keys of each partition begin in the file of keys, and its end. */
  readonly partitions: readonly number[]
}

export async function examineUnit(pipeline: Pipeline, unit: Unit): Promise<void> {
  const { files } = pipeline
  const duplicates = pipeline.duplicates as Duplicates
  const tally = createTally(unit, sourceOf(pipeline, unit).name, pipeline.stepNames)
  const steps = await compileSteps(pipeline, pipeline.before, unit)
  const verdicts: number[] = []
  const orders: number[] = []
  const lengths: number[] = []
  const aside: SetAside[] = []
  const keys = keyTable(duplicates.partitions)
  let bytes = 0
  try {
    for await (const batch of documentBatches(pipeline, unit, { tally, isFirst: true })) {
      for (let i = 0; i < batch.records; i += 1) verdicts.push(VERDICT.dropped)
      aside.push(...batch.aside)
      const kept = await applySteps(steps, batch.documents, tally)
      const from = performance.now()
      bytes += textBytes(kept)
      for (const { record, text, isChanged } of kept) {
        verdicts[record] = isChanged ? VERDICT.changed : VERDICT.kept
        lengths.push(Buffer.byteLength(text))
        orders.push(addKeys(keys, { text, document: orders.length, duplicates }))
      }
      tally.spend(pipeline.stepNames[duplicates.place] as string, performance.now() - from)
    }
  } finally {
    await closeSteps(steps)
  }
  tally.enter(duplicates.place, bytes, orders.length)
  const from = performance.now()
  await writeContent(files.verdicts(unit.number), Uint8Array.from(verdicts))
  await writeContent(
    files.orders(unit.number),
    new Uint8Array(Float64Array.from(orders).buffer),
    new Uint8Array(Uint32Array.from(lengths).buffer),
  )
  const { entries, starts } = keys.sorted()
  await writeContent(files.keys(unit.number), entries)
  await writeAside(pipeline, unit, aside)
  tally.spend('write', performance.now() - from)
  const examined: Examined = {
    figures: tally.figures(),
    seconds: tally.seconds(),
    records: verdicts.length,
    documents: orders.length,
    bytes,
    partitions: starts,
  }
  await writeJson(files.examined(unit.number), examined)
}

type Keyed = { readonly text: string; readonly document: number; readonly duplicates: Duplicates }

/** Its place in the order of contents, by which one of several duplicates is kept. */
function addKeys(keys: KeyTable, { text, document, duplicates: { shape } }: Keyed): number {
  const { order, high, low } = contentNumbers(text)
  const bands = shape ? bandKeys(signature(text, shape), shape) : undefined
  // A text without words has no bands, and is a duplicate of equal texts only.
  if (!bands || bands.length === 0) keys.add(high, low, document)
  else {
    const halves = new Uint32Array(bands.buffer, bands.byteOffset, 2 * bands.length)
    for (let i = 0; i < halves.length; i += 2) keys.add(halves[i + 1] as number, halves[i] as number, document)
  }
  return order
}
