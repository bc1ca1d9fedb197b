// The pass that writes: documents that are left go through the steps after deduplication, then become lines or tokens.

import { readFile } from 'node:fs/promises'
import type { Document } from '../document.ts'
import type { Figures, Seconds } from '../figures.ts'
import { closeSteps, type CompiledSteps, compileSteps, type Pipeline, sourceOf } from '../pipeline.ts'
import { createTally, EXAMPLES_OF_UNIT, type Tally } from '../tally.ts'
import { readUnit } from '../read/read-unit.ts'
import { type Cuts, cutDocuments, readCuts } from '../repeats/cuts.ts'
import type { RawRecord, Unit } from '../unit.ts'
import { readJson, writeJson } from '../work-directory.ts'
import { writeAside } from './aside.ts'
import { readLengths, wordsOf } from './cluster.ts'
import { type Examined, VERDICT } from './examine.ts'
import { applySteps, documentBatches, repeatChanges, type SetAside, takeRecord, textBytes } from './flow.ts'

/** Where documents go. */
export type Output = {
  readonly add: (document: Document) => number | Promise<number>
  /** A record as it is, where the output takes such. */
  readonly copy?: (raw: RawRecord) => void | Promise<void>
  /** What its time counts under. */
  readonly cause: 'tokenize' | 'write'
  readonly close: () => Promise<OutputFacts>
  /** Leaves nothing behind of a part that was not closed. */
  readonly abandon: () => Promise<void>
}

/** What the last pass needs to know of a part. */
type OutputFacts = {
  readonly bytes: number
  readonly digest?: string
  /** Blocks of documents of one shard. */
  readonly segments?: readonly Segment[]
}

export type Segment = { readonly shard: number; readonly documents: number; readonly tokens: number; readonly start: number }

export type WrittenUnit = { readonly figures: Figures; readonly seconds: Seconds; readonly part: OutputFacts; readonly records: number }

export async function writeUnit(pipeline: Pipeline, unit: Unit, output: Output): Promise<void> {
  const { files, duplicates } = pipeline
  const tally = createTally(unit, sourceOf(pipeline, unit).name, pipeline.stepNames)
  const repeated = (await compileSteps(pipeline, pipeline.before, unit)).filter(({ step }) => step.changes)
  const after = await compileSteps(pipeline, pipeline.after, unit)
  const chosen = duplicates ? await chosenRecords(pipeline, unit, tally) : undefined
  const aside: SetAside[] = []
  let records = 0
  try {
    if (chosen && output.copy && after.length === 0)
      records = await copyRecords(unit, { chosen, copy: output.copy, repeated, output, tally, pipeline })
    else {
      const reading = {
        tally,
        isFirst: !chosen,
        ...(chosen ? { wants: (record: number) => chosen.verdicts[record] !== VERDICT.dropped } : {}),
      }
      for await (const batch of documentBatches(pipeline, unit, reading)) {
        records += batch.records
        aside.push(...batch.aside)
        const documents = chosen ? batch.documents.filter((document) => !isShown(document, { chosen, pipeline, tally })) : batch.documents
        await repeatChanges(repeated, documents)
        const left = chosen ? cutDocuments(chosen.cuts, documents, { tally, place: pipeline.duplicates?.place as number }) : documents
        await put(await applySteps(after, left, tally), { output, tally, place: pipeline.tokenize?.place })
      }
    }
  } catch (cause) {
    await output.abandon()
    throw cause
  } finally {
    await closeSteps([...repeated, ...after])
  }
  const from = performance.now()
  const part = await output.close()
  if (!duplicates) await writeAside(pipeline, unit, aside)
  tally.spend('write', performance.now() - from)
  const written: WrittenUnit = { figures: tally.figures(), seconds: tally.seconds(), part, records }
  await writeJson(files.written(unit.number), written)
}

/** `place` of the step that tokenises. */
type Putting = { readonly output: Output; readonly tally: Tally; readonly place: number | undefined }

async function put(documents: readonly Document[], { output, tally, place }: Putting): Promise<void> {
  const from = performance.now()
  if (place !== undefined) tally.enter(place, textBytes(documents), documents.length)
  for (const document of documents) {
    const tokens = await output.add(document)
    tally.out(Buffer.byteLength(document.text), tokens)
  }
  tally.spend(output.cause, performance.now() - from)
}

type Showing = { readonly chosen: Chosen; readonly pipeline: Pipeline; readonly tally: Tally }

/** A duplicate that is only read to be an example is counted, and goes no further. */
function isShown(document: Pick<Document, 'record' | 'text'>, { chosen: { verdicts, lengths }, pipeline, tally }: Showing): boolean {
  if (verdicts[document.record] !== VERDICT.shown) return false
  tally.drop(pipeline.duplicates?.place as number, { document, reason: 'duplicate', bytes: lengths[document.record] as number })
  return true
}

type Copying = {
  readonly pipeline: Pipeline
  readonly chosen: Chosen
  readonly copy: NonNullable<Output['copy']>
  readonly repeated: CompiledSteps
  readonly output: Output
  readonly tally: Tally
}

/** Nothing more happens to documents: only those whose text was changed are parsed again. */
async function copyRecords(unit: Unit, { pipeline, chosen, copy, repeated, output, tally }: Copying): Promise<number> {
  const { verdicts, lengths, cuts } = chosen
  let record = 0
  let from = performance.now()
  for await (const raws of readUnit(unit)) {
    tally.spend('read', performance.now() - from)
    from = performance.now()
    for (const raw of raws) {
      const verdict = verdicts[record]
      if (verdict === VERDICT.kept) {
        await copy(raw)
        tally.out(lengths[record] as number, 0)
      } else if (verdict !== VERDICT.dropped) {
        const document = takeRecord(pipeline, unit, { raw, record, tally: undefined })
        if ('text' in document && !isShown(document, { chosen, pipeline, tally })) {
          await repeatChanges(repeated, [document])
          for (const left of cutDocuments(cuts, [document], { tally, place: pipeline.duplicates?.place as number })) {
            await output.add(left)
            tally.out(Buffer.byteLength(left.text), 0)
          }
        }
      }
      record += 1
    }
    tally.spend('write', performance.now() - from)
    from = performance.now()
  }
  return record
}

type Chosen = {
  /** By record; duplicates are dropped. */
  readonly verdicts: Uint8Array
  /** Bytes of the text by record. */
  readonly lengths: Uint32Array
  /** What is cut out of records, as they count as changed. */
  readonly cuts: Cuts
}

async function chosenRecords(pipeline: Pipeline, unit: Unit, tally: Tally): Promise<Chosen> {
  const { files, duplicates } = pipeline
  const verdicts = new Uint8Array(await readFile(files.verdicts(unit.number)))
  const { documents } = await readJson<Examined>(files.examined(unit.number))
  const lengths = await readLengths(files.orders(unit.number), documents)
  const pairs = await wordsOf(files.duplicates(unit.number))
  const isDuplicate = new Uint8Array(documents)
  for (let i = 0; i < pairs.length; i += 2) isDuplicate[pairs[i] as number] = 1
  const byRecord = new Uint32Array(verdicts.length)
  let document = 0
  let shown = 0
  for (let record = 0; record < verdicts.length; record += 1) {
    if (verdicts[record] === VERDICT.dropped) continue
    if (isDuplicate[document] === 1) {
      verdicts[record] = shown < EXAMPLES_OF_UNIT ? VERDICT.shown : VERDICT.dropped
      if (shown >= EXAMPLES_OF_UNIT)
        tally.drop(duplicates?.place as number, { document: { record, text: '' }, reason: 'duplicate', bytes: lengths[document] as number })
      shown += 1
    }
    byRecord[record] = lengths[document] as number
    document += 1
  }
  const cuts = await readCuts(pipeline, unit)
  for (const cut of cuts.keys()) verdicts[cut] = VERDICT.changed
  return { verdicts, lengths: byRecord, cuts }
}
