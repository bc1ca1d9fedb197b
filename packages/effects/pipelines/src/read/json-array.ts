// The elements of a file that holds one JSON array, one at a time: the file may be larger than memory, an element may not. An element becomes a line, so that
// whoever only copies records need not parse them.

import { IronlawError } from '@ironlaw/contracts'
import type { RawRecord, Unit } from '../unit.ts'
import { MOST_LINE_BYTES } from './cut-lines.ts'
import { fileBytes } from './file-bytes.ts'

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_OBJECT, CLOSE_OBJECT, COMMA] = [...Buffer.from('"\\[]{},')] as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
]
const [TAB, NEWLINE, CARRIAGE_RETURN, SPACE] = [9, 10, 13, 32]
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

const isSpace = (byte: number): boolean => byte === SPACE || byte === NEWLINE || byte === CARRIAGE_RETURN || byte === TAB

type Stored = Pick<Unit, 'compression'> & { readonly file: string }

const bytesOf = ({ file, compression }: Stored): AsyncIterable<Buffer> => fileBytes(file, compression === undefined ? {} : { compression })

/** Whether the first thing in a file is an array; lines of JSON are objects. */
export async function holdsArray(stored: Stored): Promise<boolean> {
  for await (const chunk of bytesOf(stored)) {
    const first = chunk.find((byte) => !isSpace(byte) && !BYTE_ORDER_MARK.includes(byte))
    if (first !== undefined) return first === OPEN
  }
  return false
}

export async function* readArray(unit: Unit, mostBytes = MOST_LINE_BYTES): AsyncGenerator<readonly RawRecord[]> {
  const cutter = elementCutter(unit.file, mostBytes)
  for await (const chunk of bytesOf(unit)) {
    const records = cutter.cut(chunk)
    if (records.length > 0) yield records
  }
  cutter.finish()
}

type State = 'before' | 'element' | 'behind' | 'after'

type ElementCutter = { readonly cut: (chunk: Buffer) => readonly RawRecord[]; readonly finish: () => void }

function elementCutter(file: string, mostBytes: number): ElementCutter {
  let state: State = 'before'
  let position = 0
  let [depth, inString, isEscaped] = [0, false, false]
  let pieces: Buffer[] = []
  let pieceBytes = 0
  const wrong = (what: string, at: number): IronlawError =>
    new IronlawError(
      'IL_FILE',
      { path: file, reason: `it is not one JSON array: ${what} at byte ${at}` },
      { next: 'correct the file; or write one object a line, and name it .jsonl' },
    )
  const keep = (piece: Buffer): void => {
    pieceBytes += piece.length
    if (pieceBytes > mostBytes) pieces = []
    else pieces.push(piece)
  }
  const element = (): RawRecord => {
    const bytes = pieceBytes > mostBytes ? undefined : Buffer.concat(pieces)
    const reason = `has ${pieceBytes} bytes, at most ${mostBytes} are read`
    ;[pieces, pieceBytes] = [[], 0]
    return bytes === undefined ? { kind: 'broken', reason } : { kind: 'line', bytes }
  }
  /** The index behind the element, or the end of the chunk; line breaks between its parts become spaces. */
  const through = (chunk: Buffer, from: number): number => {
    for (let i = from; i < chunk.length; i += 1) {
      const byte = chunk[i] as number
      if (inString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) inString = false
      } else if (byte === QUOTE) inString = true
      else if (byte === NEWLINE || byte === CARRIAGE_RETURN) chunk[i] = SPACE
      else if (byte === OPEN || byte === OPEN_OBJECT) depth += 1
      else if (byte === CLOSE_OBJECT) depth -= 1
      else if (byte === CLOSE || byte === COMMA) {
        if (depth === 0) return i
        if (byte === CLOSE) depth -= 1
      }
    }
    return chunk.length
  }
  const cut = (chunk: Buffer): readonly RawRecord[] => {
    const records: RawRecord[] = []
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      if (state === 'element') {
        const end = through(chunk, at)
        keep(chunk.subarray(at, end))
        if (end === chunk.length) break
        records.push(element())
        state = chunk[end] === COMMA ? 'behind' : 'after'
        at = end
      } else if (isSpace(byte) || (position + at < 3 && BYTE_ORDER_MARK[position + at] === byte)) continue
      else if (state === 'before' && byte === OPEN) state = 'behind'
      else if (state === 'behind' && byte !== COMMA) {
        state = byte === CLOSE ? 'after' : 'element'
        if (byte !== CLOSE) at -= 1
      } else throw wrong(state === 'after' ? 'something follows it' : 'an element is missing', position + at)
    }
    position += chunk.length
    return records
  }
  return {
    cut,
    finish: () => {
      if (state !== 'after') throw wrong('it ends early', position)
    },
  }
}
