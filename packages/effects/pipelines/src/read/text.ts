// A file of text is one record, with its name as the path.

import { basename } from 'node:path'
import type { RawRecord, Unit } from '../unit.ts'
import { MOST_LINE_BYTES } from './cut-lines.ts'
import { fileBytes } from './file-bytes.ts'
import { decodeUtf8, firstInvalidByte } from './utf8.ts'

export async function* readText(unit: Unit): AsyncGenerator<readonly RawRecord[]> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of fileBytes(unit.file, unit.compression === undefined ? {} : { compression: unit.compression })) {
    bytes += chunk.length
    if (bytes > MOST_LINE_BYTES) {
      yield [{ kind: 'broken', reason: `${unit.file} has more than ${MOST_LINE_BYTES} bytes` }]
      return
    }
    chunks.push(chunk)
  }
  if (bytes > 0) yield [textRecord(Buffer.concat(chunks), basename(unit.file))]
}

function textRecord(bytes: Buffer, path: string): RawRecord {
  const text = decodeUtf8(bytes)
  if (text === undefined) return { kind: 'broken', reason: `${path} is not UTF-8 at byte ${firstInvalidByte(bytes)}` }
  return { kind: 'fields', fields: { text: text.replace(/^\uFEFF/, ''), path } }
}
