// Cuts bytes into lines, whatever the chunks they come in. Of a range of a file the lines whose first byte lies in it.

import type { RawRecord } from '../unit.ts'

export const MOST_LINE_BYTES = 64 * 1024 * 1024

const NEWLINE = 10
const CARRIAGE_RETURN = 13
const SPACE = 32
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const NOTHING: readonly RawRecord[] = []

export type LineRange = { readonly start: number; readonly end: number; readonly mostBytes?: number }

export type LineCutter = {
  /** Where the first chunk must begin: one byte early, as a line begins behind the end of another. */
  readonly from: number
  /** Lines that end in this chunk. */
  readonly cut: (chunk: Buffer) => readonly RawRecord[]
  /** The last line, when it ends without a newline. */
  readonly finish: () => readonly RawRecord[]
  /** Whether later chunks hold no more lines of the range. */
  readonly isDone: () => boolean
  /** Bytes of the file up to the end of the last chunk. */
  readonly position: () => number
}

export function lineCutter({ start, end, mostBytes = MOST_LINE_BYTES }: LineRange): LineCutter {
  const from = Math.max(0, start - 1)
  let [position, lineStart] = [from, from]
  // The first line found belongs to the range before, unless the byte before this range is a newline.
  let isSkipping = start > 0
  let pieces: Buffer[] = []
  let pieceBytes = 0

  const line = (last: Buffer): RawRecord | undefined => {
    const bytes = pieceBytes + last.length
    const whole = bytes > mostBytes || pieces.length === 0 ? last : Buffer.concat([...pieces, last])
    ;[pieces, pieceBytes] = [[], 0]
    if (bytes > mostBytes)
      return { kind: 'broken', reason: `the line at byte ${lineStart} has ${bytes} bytes, at most ${mostBytes} are read` }
    const text = trimmed(whole, lineStart === 0)
    return text === undefined ? undefined : { kind: 'line', bytes: text }
  }

  const cut = (chunk: Buffer): readonly RawRecord[] => {
    const records: RawRecord[] = []
    let at = 0
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1 && lineStart < end; newline = chunk.indexOf(NEWLINE, at)) {
      const record = isSkipping ? undefined : line(chunk.subarray(at, newline))
      if (record !== undefined) records.push(record)
      isSkipping = false
      at = newline + 1
      lineStart = position + at
    }
    position += chunk.length
    if (isSkipping) lineStart = position
    else if (at < chunk.length && lineStart < end) {
      pieceBytes += chunk.length - at
      if (pieceBytes > mostBytes) pieces = []
      else pieces.push(chunk.subarray(at))
    }
    return records
  }

  const finish = (): readonly RawRecord[] => {
    if (isSkipping || lineStart >= end || pieceBytes === 0) return NOTHING
    const record = line(Buffer.alloc(0))
    return record === undefined ? NOTHING : [record]
  }

  return { from, cut, finish, isDone: () => lineStart >= end, position: () => position }
}

/** Without the end of the line and the mark at the beginning of a file; undefined where nothing is left. */
function trimmed(line: Buffer, isFirst: boolean): Buffer | undefined {
  const start = isFirst && line.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0
  const end = line[line.length - 1] === CARRIAGE_RETURN ? line.length - 1 : line.length
  if (start >= end || isBlank(line, start, end)) return undefined
  return start === 0 && end === line.length ? line : line.subarray(start, end)
}

function isBlank(line: Buffer, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const byte = line[index] as number
    if (byte !== SPACE && (byte < 9 || byte > 13)) return false
  }
  return true
}
