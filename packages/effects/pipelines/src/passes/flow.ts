// Documents of a unit on their way through steps, in batches.

import type { Document } from '../document.ts'
import { type CompiledSteps, type Pipeline, sourceOf } from '../pipeline.ts'
import { parseRecord } from '../read/parse-record.ts'
import { readUnit } from '../read/read-unit.ts'
import type { Violation } from '../steps/contract.ts'
import { ContractBroken } from '../stop.ts'
import type { Tally } from '../tally.ts'
import type { Fields, RawRecord, Unit } from '../unit.ts'

export type SetAside = { readonly record: number; readonly violation: Violation; readonly raw: RawRecord }

export type Batch = {
  readonly documents: readonly Document[]
  /** Records of the batch, documents or not. */
  readonly records: number
  readonly aside: readonly SetAside[]
}

type Reading = {
  readonly tally: Tally
  /** Whether records are seen for the first time, so that they are counted and checked. */
  readonly isFirst: boolean
  /** Which records to parse; all when left out. */
  readonly wants?: (record: number) => boolean
}

export async function* documentBatches(pipeline: Pipeline, unit: Unit, reading: Reading): AsyncGenerator<Batch> {
  const { tally, isFirst, wants } = reading
  let record = 0
  let from = performance.now()
  for await (const raws of readUnit(unit)) {
    const documents: Document[] = []
    const aside: SetAside[] = []
    for (const raw of raws) {
      const number = record
      record += 1
      if (wants?.(number) === false) continue
      const taken = takeRecord(pipeline, unit, { raw, record: number, tally: isFirst ? tally : undefined })
      if ('text' in taken) documents.push(taken)
      else aside.push(taken)
    }
    if (isFirst) tally.records(raws.length)
    tally.spend('read', performance.now() - from)
    yield { documents, records: raws.length, aside }
    from = performance.now()
  }
  tally.spend('read', performance.now() - from)
}

type Taking = { readonly raw: RawRecord; readonly record: number; readonly tally: Tally | undefined }

/** A document, or a record that violates the contract. The contract may stop everything. */
export function takeRecord(pipeline: Pipeline, unit: Unit, { raw, record, tally }: Taking): Document | SetAside {
  const { contract, rules } = pipeline
  const parsed = parseRecord(raw)
  const field = sourceOf(pipeline, unit).text
  const violation: Violation | undefined =
    parsed.kind === 'broken'
      ? { rule: 'readable', problem: `the record ${parsed.reason}` }
      : (rules(parsed.fields) ?? textViolation(parsed.fields, field))
  if (tally && parsed.kind === 'fields') for (const { field: name } of contract.statistics) tally.field(name, parsed.fields[name])
  const place = contractPlace(pipeline)
  if (parsed.kind === 'fields' && !violation) {
    const text = parsed.fields[field] as string
    if (tally && place !== undefined) tally.enter(place, Buffer.byteLength(text))
    return { record, fields: parsed.fields, raw, text, isChanged: false }
  }
  const { rule, problem } = violation as Violation
  tally?.violation({ rule, problem }, record)
  if (tally && place !== undefined) {
    tally.enter(place, 0)
    tally.drop(place, { document: { record, text: '' }, reason: rule, detail: problem, bytes: 0 })
  }
  if (contract.violations === 'stop') throw new ContractBroken(unit, { rule, problem, record })
  return { record, violation: { rule, problem }, raw }
}

const contractPlace = ({ spec }: Pipeline): number | undefined => (spec.steps[0]?.expect ? 0 : undefined)

function textViolation(fields: Fields, field: string): Violation | undefined {
  if (typeof fields[field] === 'string') return undefined
  const names = Object.keys(fields).slice(0, 10).join(', ')
  return {
    rule: `${field}.type`,
    problem: Object.hasOwn(fields, field) ? `${field} is not a string` : `there is no text in the field ${field}; the fields are ${names}`,
  }
}

/** Through all steps, counted and timed by step. */
export async function applySteps(steps: CompiledSteps, documents: readonly Document[], tally: Tally): Promise<readonly Document[]> {
  let going = documents
  for (const { place, name, step } of steps) {
    const from = performance.now()
    tally.enter(place, textBytes(going), going.length)
    going = await step.apply(going, (document, reason, detail) =>
      tally.drop(place, { document, reason, ...(detail === undefined ? {} : { detail }) }),
    )
    tally.spend(name, performance.now() - from)
  }
  return going
}

export const textBytes = (documents: readonly Document[]): number => documents.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)

/** Texts as they were examined: steps that change them see them again, uncounted. */
export async function repeatChanges(steps: CompiledSteps, documents: readonly Document[]): Promise<void> {
  for (const { step } of steps) await step.apply(documents, () => undefined)
}
