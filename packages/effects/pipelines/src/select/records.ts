// Records of files by name, for whoever has no spec: JSON lines and Parquet, in the order of their files.

import { IronlawError } from '@ironlaw/contracts'
import { fileKind } from '../read/file-kind.ts'
import { readUnit } from '../read/read-unit.ts'
import { fileName, type FoundFile, sourceFiles } from '../read/source-files.ts'
import { rangesOf } from '../read/units.ts'
import type { RawRecord, Unit } from '../unit.ts'

export type FileRecords = {
  readonly file: string
  /** Number of the first one in its file, from zero. */
  readonly first: number
  readonly records: readonly RawRecord[]
}

/** Small enough that rows of Parquet of several groups are not held at once. */
const UNIT_BYTES = 64 * 1024 * 1024

/** @param files a file, a directory or a pattern, relative to the working directory */
export async function* recordsIn(files: string): AsyncGenerator<FileRecords> {
  for (const file of await filesNamed(files)) yield* recordsOf(file)
}

export async function* recordsOf(file: FoundFile): AsyncGenerator<FileRecords> {
  const kind = readableKind(file)
  let first = 0
  for (const [number, range] of (await rangesOf({ ...file, ...kind }, UNIT_BYTES)).entries())
    for await (const records of readUnit({ number, source: 0, file: file.path, ...kind, ...range })) {
      yield { file: file.path, first, records }
      first += records.length
    }
}

export async function filesNamed(files: string): Promise<readonly FoundFile[]> {
  const found = (await sourceFiles(files, process.cwd()))?.files ?? []
  if (found.length > 0) return found
  throw new IronlawError(
    'IL_FILE',
    { path: files, reason: 'there is no such file' },
    { next: `check the path: it was looked for in ${process.cwd()}; * stands for a part of a name` },
  )
}

function readableKind(file: FoundFile): Pick<Unit, 'format' | 'compression'> {
  const kind = fileKind(fileName(file))
  if (kind?.format === 'jsonl' || kind?.format === 'parquet') return kind
  throw new IronlawError(
    'IL_FILE',
    { path: file.path, reason: 'its name is that of neither JSON lines nor Parquet' },
    { next: 'convert it; names end in .jsonl, .jsonl.gz, .jsonl.zst or .parquet' },
  )
}
