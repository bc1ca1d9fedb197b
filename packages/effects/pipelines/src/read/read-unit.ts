// The records of a unit, in batches of about a megabyte, so that nobody awaits per record. Reading goes no faster than batches are taken.

import { IronlawError } from '@ironlaw/contracts'
import type { RawRecord, Unit } from '../unit.ts'
import { lineCutter } from './cut-lines.ts'
import { fileBytes } from './file-bytes.ts'
import { holdsArray, readArray } from './json-array.ts'
import { readRowGroups } from './parquet.ts'
import { readText } from './text.ts'
import { readWarc } from './warc.ts'

export function readUnit(unit: Unit): AsyncIterable<readonly RawRecord[]> {
  switch (unit.format) {
    case 'jsonl':
      return readLines(unit)
    case 'json':
      return readArrayOrLines(unit)
    case 'parquet':
      return readRowGroups(unit)
    case 'warc':
      return readWarc(unit)
    case 'text':
      return readText(unit)
  }
}

async function* readArrayOrLines(unit: Unit): AsyncGenerator<readonly RawRecord[]> {
  yield* (await holdsArray(unit)) ? readArray(unit) : readLines(unit)
}

async function* readLines(unit: Unit): AsyncGenerator<readonly RawRecord[]> {
  const isWhole = unit.compression !== undefined
  const cutter = lineCutter(isWhole ? { start: 0, end: Infinity } : unit)
  for await (const chunk of fileBytes(unit.file, isWhole ? { compression: unit.compression } : { start: cutter.from })) {
    const records = cutter.cut(chunk)
    if (records.length > 0) yield records
    if (cutter.isDone()) return
  }
  if (!isWhole && cutter.position() < unit.end) throw shortened(unit, cutter.position())
  const last = cutter.finish()
  if (last.length > 0) yield last
}

const shortened = (unit: Unit, bytes: number): IronlawError =>
  new IronlawError(
    'IL_FILE',
    { path: unit.file, reason: `it has become shorter: ${bytes} bytes are left of ${unit.end}` },
    { next: 'wait until its writer has finished, and start again' },
  )
