// What a file holds, by its name.

import type { DataFormat } from '@ironlaw/contracts/data-spec'
import type { Unit } from '../unit.ts'

export type FileKind = { readonly format: DataFormat; readonly compression?: NonNullable<Unit['compression']> }

const FORMATS: Readonly<Record<string, DataFormat>> = {
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  json: 'json',
  parquet: 'parquet',
  warc: 'warc',
  wet: 'warc',
  txt: 'text',
  md: 'text',
}

const COMPRESSIONS: Readonly<Record<string, 'gzip' | 'zstd'>> = { gz: 'gzip', zst: 'zstd', zstd: 'zstd' }

/** Data that a directory may hold and that is not read: passing over it in silence would lose documents. */
const UNREADABLE_DATA: ReadonlySet<string> = new Set(
  'csv tsv arrow feather avro orc xml html pdf epub wat bz2 xz lz4 br 7z zip tar tgz tzst rar gz zst zstd'.split(' '),
)

/** Beside the data in published datasets, and none of it. */
const SIDE_FILES =
  /^(?:\..*|_.*|(?:readme|licen[cs]e|notice|copying|changelog)\b.*|dataset_(?:infos?|dict)\.json|state\.json|croissant\.json)$/i

export const READABLE_NAMES = '.jsonl, .ndjson, .json, .warc, .wet, .txt or .md, each also with .gz or .zst, or .parquet'

export const isSideFile = (name: string): boolean => SIDE_FILES.test(name)

/** Undefined where the name says nothing; a format of the spec counts more than the name. */
export function fileKind(name: string, specified?: DataFormat): FileKind | undefined {
  const extensions = name.toLowerCase().split('.').slice(1)
  const compression = COMPRESSIONS[extensions.at(-1) ?? '']
  const extension = extensions.at(compression === undefined ? -1 : -2) ?? ''
  const format = specified ?? (Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined)
  // Row groups cannot be found in a compressed file.
  if (format === undefined || (format === 'parquet' && compression !== undefined)) return undefined
  return compression === undefined ? { format } : { format, compression }
}

export const holdsUnreadableData = (name: string): boolean => UNREADABLE_DATA.has(name.toLowerCase().split('.').slice(1).at(-1) ?? '')
