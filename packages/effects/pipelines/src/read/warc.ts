// Records of web archives (ISO 28500). Extracted text, as Common Crawl publishes it in WET files, becomes `text`. Pages become `html`: what of a page is its
// text is for a program to decide (trafilatura, for example), not for a reader.

import { IronlawError } from '@ironlaw/contracts'
import type { RawRecord, Unit } from '../unit.ts'
import { type ByteReader, byteReader } from './byte-reader.ts'
import { MOST_LINE_BYTES } from './cut-lines.ts'
import { fileBytes } from './file-bytes.ts'
import { type Headers, readHeaders, responseContent } from './http-response.ts'
import { decodeUtf8, firstInvalidByte } from './utf8.ts'

const BATCH_BYTES = 1024 * 1024
const MOST_HEADER_BYTES = 64 * 1024
const BLANK_LINE = Buffer.from('\r\n\r\n')
const LINE_ENDS: ReadonlySet<number> = new Set([10, 13])

export async function* readWarc(unit: Unit): AsyncGenerator<readonly RawRecord[]> {
  const chunks = fileBytes(unit.file, unit.compression === undefined ? {} : { compression: unit.compression })[Symbol.asyncIterator]()
  try {
    const reader = byteReader(chunks)
    let batch: RawRecord[] = []
    let start = 0
    while (await reader.skipAll(LINE_ENDS)) {
      const record = await readRecord(reader, unit.file)
      if (record !== undefined) batch.push(record)
      if (reader.position() - start < BATCH_BYTES) continue
      if (batch.length > 0) yield batch
      ;[batch, start] = [[], reader.position()]
    }
    if (batch.length > 0) yield batch
  } finally {
    await chunks.return?.()
  }
}

/** Undefined for records that hold no document, such as requests. */
async function readRecord(reader: ByteReader, file: string): Promise<RawRecord | undefined> {
  const start = reader.position()
  const refuse = (problem: string): IronlawError =>
    new IronlawError(
      'IL_FILE',
      { path: file, reason: `${problem}, in the record at byte ${start}` },
      { next: 'copy or download it again; a file of web archive records (WARC or WET) is expected' },
    )
  const head = await reader.upTo(BLANK_LINE, MOST_HEADER_BYTES)
  if (head === undefined || !/^WARC\/\d/.test(head.toString('latin1', 0, 6))) throw refuse('no header of a WARC record is found')
  const headers = readHeaders(head)
  const length = Number(headers.get('content-length') ?? Number.NaN)
  if (!Number.isSafeInteger(length) || length < 0) throw refuse('its Content-Length is missing or no number')
  const type = headers.get('warc-type')
  const isTooLong = length > MOST_LINE_BYTES
  if ((type !== 'response' && type !== 'conversion') || isTooLong) {
    if ((await reader.skip(length)) < length) throw refuse(`the file ends within its ${length} bytes`)
    return isTooLong ? broken(start, `has ${length} bytes, at most ${MOST_LINE_BYTES} are read`) : undefined
  }
  const content = await reader.take(length)
  if (content.length < length) throw refuse(`the file ends after ${content.length} of its ${length} bytes`)
  return type === 'conversion' ? conversion(headers, content, start) : response(headers, content, start)
}

const broken = (start: number, reason: string): RawRecord => ({ kind: 'broken', reason: `the record at byte ${start} ${reason}` })

/** Some programs write the address in angle brackets. */
const origin = (headers: Headers): { readonly url: string | null; readonly date: string | null; readonly type: string | null } => ({
  url: headers.get('warc-target-uri')?.replace(/^<(.*)>$/, '$1') ?? null,
  date: headers.get('warc-date') ?? null,
  type: headers.get('warc-type') ?? null,
})

function conversion(headers: Headers, content: Buffer, start: number): RawRecord {
  const text = decodeUtf8(content)
  if (text === undefined) return broken(start, `is not UTF-8 at byte ${firstInvalidByte(content)} of its content`)
  return { kind: 'fields', fields: { ...origin(headers), text } }
}

function response(headers: Headers, content: Buffer, start: number): RawRecord | undefined {
  const result = responseContent(content)
  if (result === undefined) return undefined
  if ('problem' in result) return broken(start, result.problem)
  const { status, mediaType, text } = result
  return { kind: 'fields', fields: { ...origin(headers), status, [mediaType === 'text/plain' ? 'text' : 'html']: text } }
}
