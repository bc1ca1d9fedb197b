// Values of Parquet columns as those of JSON, so that steps need not know where a record came from.

import type { ParquetReadOptions } from 'hyparquet'
import type { RawRecord } from '../unit.ts'
import { decodeUtf8 } from './utf8.ts'

/** Stands for a string that is not UTF-8; its record is set aside. */
const INVALID_TEXT = Symbol('invalid text')

const MILLISECONDS_A_DAY = 86_400_000

const decoded = (bytes: Uint8Array): string | undefined => decodeUtf8(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))

export const PARSERS: NonNullable<ParquetReadOptions['parsers']> = {
  stringFromBytes: (bytes) => (bytes as Uint8Array | undefined) && (decoded(bytes) ?? INVALID_TEXT),
  dateFromDays: (days) => isoText(new Date(days * MILLISECONDS_A_DAY))?.slice(0, 10),
  jsonFromBytes: (bytes) => (bytes as Uint8Array | undefined) && parsedJson(decoded(bytes)),
}

function parsedJson(text: string | undefined): unknown {
  if (text === undefined) return INVALID_TEXT
  try {
    return JSON.parse(text)
  } catch {
    // The column promises JSON and this row is none; as text nothing is lost.
    return text
  }
}

export function recordOf(row: Record<string, unknown>): RawRecord {
  for (const name in row) {
    const value = row[name]
    if (typeof value === 'string' || typeof value === 'number') continue
    if (holdsInvalidText(value)) return { kind: 'broken', reason: `column ${name} is not UTF-8` }
    row[name] = jsonValue(value)
  }
  return { kind: 'fields', fields: row }
}

function holdsInvalidText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value === INVALID_TEXT
  return Object.values(value).some((each) => holdsInvalidText(each))
}

const isoText = (date: Date): string | undefined => (Number.isNaN(date.getTime()) ? undefined : date.toISOString())

/** Large integers that a number cannot hold are written as strings; bytes that are no text as base64. */
function jsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value !== 'object' || value === null) return value ?? null
  if (value instanceof Date) return isoText(value) ?? null
  if (value instanceof Uint8Array) return decoded(value) ?? Buffer.from(value).toString('base64')
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return Array.from(value as ArrayLike<unknown>, jsonValue)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, jsonValue(each)]))
}
