// Records that were selected, as they were: where they hold the text, the file is a source of a data spec.

import { IronlawError } from '@ironlaw/contracts'
import { type LinesWriter, openLinesWriter, type WrittenLines } from '../read/write-lines.ts'
import type { Fields, RawRecord } from '../unit.ts'
import { recordsIn } from './records.ts'

export type CopyRequest = {
  readonly files: string
  /** By the number of a record over all files, from zero. */
  readonly takes: (record: number) => boolean
  /** That there were when they were chosen. */
  readonly records: number
  /** Compressed where the name ends in .zst. */
  readonly to: string
}

export async function copyRecords(request: CopyRequest): Promise<WrittenLines> {
  const writer = await openLinesWriter(request.to, { isPlain: !request.to.endsWith('.zst') })
  try {
    await copyTo(writer, request)
  } catch (cause) {
    await writer.discard()
    throw cause
  }
  return await writer.finish()
}

async function copyTo(writer: LinesWriter, { files, takes, records: expected }: CopyRequest): Promise<void> {
  let record = 0
  for await (const { records } of recordsIn(files)) {
    const lines: (Buffer | Fields)[] = []
    for (const raw of records) if (takes(record++)) lines.push(lineOf(raw))
    await writer.write(lines)
  }
  if (record !== expected)
    throw new IronlawError(
      'IL_FILE',
      { path: files, reason: `it has ${record} records, and had ${expected} when it was selected from` },
      { next: 'wait until its writer has finished, and start again' },
    )
}

function lineOf(raw: RawRecord): Buffer | Fields {
  if (raw.kind === 'line') return raw.bytes
  if (raw.kind === 'fields') return raw.fields
  throw new Error(`a record that could not be read was selected: ${raw.reason}`)
}
