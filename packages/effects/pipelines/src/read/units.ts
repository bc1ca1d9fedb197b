// Divides the files of a spec into units of work.

import { stat } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { IronlawError, systemError } from '@ironlaw/contracts'
import type { DataSource, DataSpec } from '@ironlaw/contracts/data-spec'
import type { Unit } from '../unit.ts'
import { type FileKind, fileKind, holdsUnreadableData, READABLE_NAMES } from './file-kind.ts'
import { holdsArray } from './json-array.ts'
import { rowGroupRanges } from './parquet.ts'
import { fileName, type FoundFile, sourceFiles } from './source-files.ts'

const UNIT_BYTES = 64 * 1024 * 1024

type FindOptions = {
  /** Bytes of a unit, where a file can be divided. Another number makes other units. */
  readonly unitBytes?: number
  /** As errors call the spec. */
  readonly specFile?: string
}

type SourceFile = FoundFile & FileKind

/** In the order of the sources, and of one source in the order of paths. Sources that name an artifact must have been given files. */
export async function findUnits(spec: DataSpec, directory: string, options: FindOptions = {}): Promise<Unit[]> {
  const units: Unit[] = []
  for (const [source, written] of spec.from.entries()) {
    const refuse = (problem: string, next: string): IronlawError =>
      new IronlawError('IL_SPEC', { file: options.specFile ?? `data ${spec.name}`, path: `from.${source}.files`, problem }, { next })
    for (const { path: file, bytes, compression, ...found } of await filesOf(written, directory, refuse)) {
      // Lines can be divided. What is compressed cannot, and tells when it is read.
      const isLines = found.format === 'json' && compression === undefined && !(await holdsArray({ file }))
      const format = isLines ? 'jsonl' : found.format
      for (const range of await rangesOf(
        { path: file, bytes, format, ...(compression && { compression }) },
        options.unitBytes ?? UNIT_BYTES,
      ))
        units.push({ number: units.length, source, file, format, ...(compression && { compression }), ...range })
    }
  }
  return units
}

type Refuse = (problem: string, next: string) => IronlawError

async function filesOf({ name, files = '', format }: DataSource, directory: string, refuse: Refuse): Promise<readonly SourceFile[]> {
  const found = await sourceFiles(files, directory)
  const what = `source ${name}: ${files}`
  if (found === undefined)
    throw refuse(`${what} does not exist in ${directory}`, 'correct the path; it is relative to the directory of the spec')
  if (found.files.length === 0)
    throw found.by === 'pattern'
      ? refuse(`${what} matches no file in ${directory}`, 'correct the pattern; * stands for a part of a name, ** for any directories')
      : refuse(`${what} is a directory without files`, 'name a directory with files; hidden files and such as README do not count')
  const read = found.files.flatMap((file) => {
    const kind = fileKind(fileName(file), format)
    if (kind !== undefined) return [{ ...file, ...kind }]
    if (found.by === 'directory' && !holdsUnreadableData(file.path)) return []
    throw refuse(
      `source ${name}: ${file.path} is of no kind that can be read`,
      `convert it, name only the others with a pattern, or set the format of the source; names end in ${READABLE_NAMES}`,
    )
  })
  if (read.length === 0)
    throw refuse(
      `${what} is a directory without files that can be read`,
      `set the format of the source, or have names end in ${READABLE_NAMES}`,
    )
  return read
}

type Range = Pick<Unit, 'start' | 'end'>

export async function rangesOf(file: SourceFile, unitBytes: number): Promise<readonly Range[]> {
  if (file.format === 'parquet') return await rowGroupRanges(file.path, unitBytes)
  if (file.format !== 'jsonl' || file.compression !== undefined) return [{ start: 0, end: file.bytes }]
  // One unit also of an empty file, so that every file is in some unit.
  return Array.from({ length: Math.max(1, Math.ceil(file.bytes / unitBytes)) }, (_, index) => ({
    start: index * unitBytes,
    end: Math.min(file.bytes, (index + 1) * unitBytes),
  }))
}

/** A file as it was when it was looked at. */
export type InputFile = {
  readonly source: number
  /** Relative to the spec's directory, with slashes. */
  readonly path: string
  readonly bytes: number
  /** Nanoseconds since 1970. It differs between copies of a file, so compare it on one machine or on one shared file system only. */
  readonly modified_ns: string
}

/**
 * What units were made of, to notice on resuming that a file has changed. By size and time of change: a digest would read everything once more (1.4 ms a
 * megabyte).
 */
export async function inputFiles(units: readonly Unit[], directory: string): Promise<readonly InputFile[]> {
  const sources = new Map(units.map((unit) => [`${unit.source} ${unit.file}`, unit]))
  return await Promise.all(
    [...sources.values()].map(async ({ source, file }) => {
      const entry = await stat(file, { bigint: true }).catch((cause: unknown) => {
        throw systemError(cause) ?? cause
      })
      const path = relative(directory, file).replaceAll(sep, '/')
      return { source, path, bytes: Number(entry.size), modified_ns: String(entry.mtimeNs) }
    }),
  )
}
