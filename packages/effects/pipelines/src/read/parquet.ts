// Records of Parquet files. A row group is read whole, so its size bounds the memory.

import { type FileHandle, open } from 'node:fs/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { IronlawError, systemError } from '@ironlaw/contracts'
import {
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet'
import type { RawRecord, Unit } from '../unit.ts'
import { PARSERS, recordOf } from './parquet-record.ts'

const MOST_GROUP_BYTES = 2 * 1024 ** 3
const MOST_GROUP_ROWS = 2 ** 26
const BATCH_ROWS = 1000

/** No more than the page says; nothing at all is not a limit that they take. */
const limit = (bytes: number): { readonly maxOutputLength: number } => ({ maxOutputLength: Math.max(1, bytes) })

const COMPRESSORS: Compressors = {
  GZIP: (input, bytes) => gunzipSync(input, limit(bytes)),
  ZSTD: (input, bytes) => zstdDecompressSync(input, limit(bytes)),
  BROTLI: (input, bytes) => brotliDecompressSync(input, limit(bytes)),
}

type Range = Pick<Unit, 'start' | 'end'>

type Parquet = {
  readonly file: string
  readonly metadata: FileMetaData
  readonly slice: (start: number, end?: number) => Promise<ArrayBuffer>
  readonly bytes: number
  readonly close: () => Promise<void>
}

/** Ranges of row groups that together have at most this many bytes, compressed; a larger one is a range of its own. */
export async function rowGroupRanges(file: string, mostBytes: number): Promise<readonly Range[]> {
  const { metadata, close } = await openParquet(file)
  await close()
  const ranges: Range[] = []
  let [start, bytes] = [0, 0]
  for (const [index, { columns }] of metadata.row_groups.entries()) {
    const groupBytes = columns.reduce((sum, column) => sum + Number(column.meta_data?.total_compressed_size ?? 0), 0)
    if (index > start && bytes + groupBytes > mostBytes) {
      ranges.push({ start, end: index })
      ;[start, bytes] = [index, 0]
    }
    bytes += groupBytes
  }
  return [...ranges, { start, end: metadata.row_groups.length }]
}

export async function* readRowGroups(unit: Unit): AsyncGenerator<readonly RawRecord[]> {
  const parquet = await openParquet(unit.file)
  try {
    for (let index = unit.start; index < unit.end; index++) {
      const rows = await readRows(parquet, index)
      for (let at = 0; at < rows.length; at += BATCH_ROWS) yield rows.slice(at, at + BATCH_ROWS).map(recordOf)
    }
  } finally {
    await parquet.close()
  }
}

async function readRows(parquet: Parquet, index: number): Promise<readonly Record<string, unknown>[]> {
  const group = parquet.metadata.row_groups[index]
  const where = `row group ${index}`
  if (group === undefined) throw unreadable(parquet.file, `${where} is no longer there`)
  checkGroup(parquet, where, group)
  const result: Record<string, unknown>[][] = []
  try {
    await parquetRead({
      file: { byteLength: parquet.bytes, slice: parquet.slice },
      // As if it was the only one: then nothing is read of the others.
      metadata: { ...parquet.metadata, row_groups: [group], num_rows: group.num_rows },
      compressors: COMPRESSORS,
      parsers: PARSERS,
      utf8: false,
      geoparquet: false,
      rowFormat: 'object',
      onComplete: (rows) => result.push(rows),
    })
  } catch (cause) {
    throw damaged(parquet.file, where, cause)
  }
  return result[0] ?? []
}

/** Before the library begins: what fails halfway leaves promises behind that nobody awaits. */
function checkGroup({ file, bytes: fileBytes, metadata }: Parquet, where: string, group: RowGroup): void {
  const leaves = new Set(leafPaths(parquetSchema(metadata)))
  for (const { meta_data: column } of group.columns) {
    const start = Number(column?.dictionary_page_offset || column?.data_page_offset)
    const isThere = column !== undefined && start >= 0 && start + Number(column.total_compressed_size) <= fileBytes
    if (!isThere || !leaves.has(column.path_in_schema.join('.')))
      throw unreadable(file, `${where}: its columns are not where they should be`)
  }
  const { total_byte_size: bytes, num_rows: rows } = group
  if (bytes <= MOST_GROUP_BYTES && rows <= MOST_GROUP_ROWS) return
  throw new IronlawError(
    'IL_FILE',
    {
      path: file,
      reason: `${where} has ${rows} rows and ${bytes} bytes; at most ${MOST_GROUP_ROWS} and ${MOST_GROUP_BYTES} are read at once`,
    },
    { next: 'write it again with smaller row groups (row_group_size of pyarrow)' },
  )
}

const leafPaths = ({ children, path }: SchemaTree): readonly string[] =>
  children.length === 0 ? [path.join('.')] : children.flatMap(leafPaths)

async function openParquet(file: string): Promise<Parquet> {
  const handle = await open(file).catch((cause: unknown) => {
    throw systemError(cause) ?? cause
  })
  try {
    const { size } = await handle.stat()
    const slice = (start: number, end = size): Promise<ArrayBuffer> => {
      const bytes = readSlice(handle, { start, end, size })
      // The library asks for several at once, and looks at none when it fails meanwhile.
      bytes.catch(() => undefined)
      return bytes
    }
    if (size < 12) throw unreadable(file, `it has ${size} bytes, less than any Parquet file`)
    const metadata = await parquetMetadataAsync({ byteLength: size, slice }, { parsers: PARSERS, geoparquet: false })
    if (metadata.schema.some(({ name }) => name === '__proto__')) throw unreadable(file, 'a column is called __proto__')
    return { file, metadata, slice, bytes: size, close: () => handle.close() }
  } catch (cause) {
    await handle.close()
    throw damaged(file, 'the list of row groups', cause)
  }
}

type Slice = Range & { readonly size: number }

async function readSlice(handle: FileHandle, { start, end, size }: Slice): Promise<ArrayBuffer> {
  if (!(start >= 0 && start <= end && end <= size)) throw new Error(`bytes ${start} to ${end} of ${size} are not there`)
  const bytes = new ArrayBuffer(end - start)
  const view = new Uint8Array(bytes)
  for (let filled = 0; filled < view.length;) {
    const { bytesRead } = await handle.read(view, filled, view.length - filled, start + filled)
    if (bytesRead === 0) throw new Error('it has become shorter')
    filled += bytesRead
  }
  return bytes
}

/** The library throws plain errors, and those of the engine where numbers of a file make no sense. */
function damaged(file: string, where: string, cause: unknown): unknown {
  if (cause instanceof IronlawError || !(cause instanceof Error)) return cause
  return unreadable(file, `${where}: ${cause.message}`, cause)
}

const unreadable = (path: string, reason: string, cause?: Error): IronlawError =>
  new IronlawError(
    'IL_FILE',
    { path, reason },
    {
      cause,
      next: 'copy or download it again; where the writer used a codec or type that is not supported, write it again with zstd and plain columns',
    },
  )
