// The documents of a unit that deduplication leaves, with the texts that it saw.

import { readFile } from 'node:fs/promises'
import type { Document } from '../document.ts'
import { wordsOf } from '../passes/cluster.ts'
import { VERDICT } from '../passes/examine.ts'
import { documentBatches, repeatChanges } from '../passes/flow.ts'
import { closeSteps, compileSteps, type Pipeline } from '../pipeline.ts'
import type { Tally } from '../tally.ts'
import type { Unit } from '../unit.ts'

/** @param wants which of the records to read besides; all when left out */
export async function* survivingDocuments(
  pipeline: Pipeline,
  unit: Unit,
  { tally, wants }: { readonly tally: Tally; readonly wants?: (record: number) => boolean },
): AsyncGenerator<readonly Document[]> {
  const survives = await survivingRecords(pipeline, unit)
  const repeated = (await compileSteps(pipeline, pipeline.before, unit)).filter(({ step }) => step.changes)
  const isWanted = (record: number): boolean => survives[record] === 1 && (wants?.(record) ?? true)
  try {
    for await (const { documents } of documentBatches(pipeline, unit, { tally, isFirst: false, wants: isWanted })) {
      await repeatChanges(repeated, documents)
      yield documents
    }
  } finally {
    await closeSteps(repeated)
  }
}

async function survivingRecords({ files }: Pipeline, unit: Unit): Promise<Uint8Array> {
  const verdicts = new Uint8Array(await readFile(files.verdicts(unit.number)))
  const pairs = await wordsOf(files.duplicates(unit.number))
  const duplicates = new Set<number>()
  for (let i = 0; i < pairs.length; i += 2) duplicates.add(pairs[i] as number)
  let document = 0
  for (let record = 0; record < verdicts.length; record += 1) {
    if (verdicts[record] === VERDICT.dropped) continue
    verdicts[record] = duplicates.has(document) ? 0 : 1
    document += 1
  }
  return verdicts
}
