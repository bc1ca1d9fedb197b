// The fields of a record. Strict, as a record that was read half wrong is worse than one that is set aside: UTF-8, and a JSON object.

import { isAscii, isUtf8 } from 'node:buffer'
import type { Fields, RawRecord } from '../unit.ts'

export type ParsedRecord = Exclude<RawRecord, { readonly kind: 'line' }>

/** Deeper values overflow the stack of programs that write them again. */
const MOST_NESTING = 100

export const parseRecord = (raw: RawRecord): ParsedRecord => (raw.kind === 'line' ? parseLine(raw.bytes) : raw)

function parseLine(bytes: Buffer): ParsedRecord {
  const text = decoded(bytes)
  if (text === undefined) return broken(`is not UTF-8 at byte ${firstInvalidByte(bytes)} of the record`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    return broken(`is not JSON: ${(cause as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return broken(`is not a JSON object but ${kindOf(value)}`)
  if (!isShallow(value, MOST_NESTING)) return broken(`is nested deeper than ${MOST_NESTING} levels`)
  return { kind: 'fields', fields: value as Fields }
}

const broken = (reason: string): ParsedRecord => ({ kind: 'broken', reason })

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`)

/** Undefined where it is not UTF-8. Of ASCII the Latin-1 decoder makes the same string in half the time. */
function decoded(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

/** The shortest beginning that no further bytes can make valid ends with it. */
function firstInvalidByte(bytes: Buffer): number {
  let [valid, invalid] = [0, bytes.length + 1]
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1
    if (isValidBeginning(bytes.subarray(0, middle))) valid = middle
    else invalid = middle
  }
  return valid
}

function isValidBeginning(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

function isShallow(value: object, levels: number): boolean {
  if (levels === 0) return false
  for (const child of Array.isArray(value) ? (value as unknown[]) : Object.values(value))
    if (typeof child === 'object' && child !== null && !isShallow(child, levels - 1)) return false
  return true
}
