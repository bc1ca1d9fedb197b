// Scores of documents, as a program of the user wrote them. Strict: a selection from scores that were read half wrong is wrong without a sign of it.

import { IronlawError } from '@ironlaw/contracts'
import { parseRecord } from '../read/parse-record.ts'
import type { Fields } from '../unit.ts'
import { recordsIn } from './records.ts'

/** Names of fields. */
export type ScoreFields = {
  readonly id: string
  readonly score: string
  readonly class: string
  /** Whether every record must have a class. */
  readonly needsClass: boolean
}

/** `record` is its number over all files, from zero. */
export type ScoredRecord = { readonly id: string; readonly score: number; readonly class: string; readonly record: number }

/** Each takes about 450 bytes, measured, of the 4 GB that a process has by default. */
const MOST_RECORDS = 5_000_000

export async function readScores(files: string, fields: ScoreFields): Promise<readonly ScoredRecord[]> {
  const samples: ScoredRecord[] = []
  const places = new Map<string, number>()
  for await (const { file, first, records } of recordsIn(files))
    for (const [index, raw] of records.entries()) {
      const refuse = (reason: string, next: string): never => {
        throw new IronlawError('IL_DOCUMENT', { path: file, reason: `record ${first + index + 1}: ${reason}` }, { next })
      }
      const parsed = parseRecord(raw)
      if (parsed.kind === 'broken') return refuse(`it ${parsed.reason}`, 'write it again, or remove the line')
      const sample = { ...scoredSample(parsed.fields, fields, refuse), record: samples.length }
      const earlier = places.get(sample.id)
      if (earlier !== undefined)
        refuse(`"${sample.id}" has a score already, as record ${earlier + 1} of all`, 'leave one of them, or make ids differ')
      if (samples.length === MOST_RECORDS)
        refuse(
          `more than ${MOST_RECORDS.toLocaleString('en')} records`,
          'select from each part with --keep of a number, then from what was selected: the result is that of the whole',
        )
      places.set(sample.id, sample.record)
      samples.push(sample)
    }
  if (samples.length > 0) return samples
  throw new IronlawError('IL_DOCUMENT', { path: files, reason: 'it has no records' }, { next: 'score documents first' })
}

type Refuse = (reason: string, next: string) => never

function scoredSample(found: Fields, names: ScoreFields, refuse: Refuse): Omit<ScoredRecord, 'record'> {
  const [id, score, group] = [found[names.id], found[names.score], found[names.class]]
  const another = (flag: string): string => `its fields are ${Object.keys(found).join(', ') || 'none'}; ${flag} names another`
  if (typeof id !== 'string' && typeof id !== 'number') return refuse(`field "${names.id}" ${instead(id, 'an id')}`, another('--id'))
  if (typeof score !== 'number' || !Number.isFinite(score))
    return refuse(`field "${names.score}" ${instead(score, 'a number')}`, another('--score'))
  if (group === undefined || group === null) {
    if (names.needsClass) return refuse(`field "${names.class}" is missing, which --per-class needs`, another('--class'))
    return { id: String(id), score, class: '' }
  }
  if (typeof group !== 'string' && typeof group !== 'number' && typeof group !== 'boolean')
    return refuse(`field "${names.class}" ${instead(group, 'a class')}`, another('--class'))
  return { id: String(id), score, class: String(group) }
}

const instead = (value: unknown, wanted: string): string =>
  value === undefined ? 'is missing' : `is ${JSON.stringify(value).slice(0, 40)}, not ${wanted}`

/** Ids of an earlier selection. */
export async function readIds(files: string, id: string): Promise<readonly { readonly id: string }[]> {
  const ids: { readonly id: string }[] = []
  for await (const { file, first, records } of recordsIn(files))
    for (const [index, raw] of records.entries()) {
      const parsed = parseRecord(raw)
      const value = parsed.kind === 'fields' ? parsed.fields[id] : undefined
      if (typeof value !== 'string' && typeof value !== 'number')
        throw new IronlawError(
          'IL_DOCUMENT',
          { path: file, reason: `record ${first + index + 1}: field "${id}" is no id` },
          { next: 'name a file that "ironlaw data select --to" wrote' },
        )
      ids.push({ id: String(value) })
    }
  return ids
}
