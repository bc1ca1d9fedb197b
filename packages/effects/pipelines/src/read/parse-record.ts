// The fields of a record. Strict, as a record that was read half wrong is worse than one that is set aside: UTF-8, and a JSON object.

import type { Fields, RawRecord } from '../unit.ts'
import { decodeUtf8, firstInvalidByte } from './utf8.ts'

export type ParsedRecord = Exclude<RawRecord, { readonly kind: 'line' }>

/** Deeper values overflow the stack of programs that write them again. */
const MOST_NESTING = 100

export const parseRecord = (raw: RawRecord): ParsedRecord => (raw.kind === 'line' ? parseLine(raw.bytes) : raw)

function parseLine(bytes: Buffer): ParsedRecord {
  const text = decodeUtf8(bytes)
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

function isShallow(value: object, levels: number): boolean {
  if (levels === 0) return false
  for (const child of Array.isArray(value) ? (value as unknown[]) : Object.values(value))
    if (typeof child === 'object' && child !== null && !isShallow(child, levels - 1)) return false
  return true
}
