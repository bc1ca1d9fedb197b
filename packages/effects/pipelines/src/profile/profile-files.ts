// The profile of files of any size: one row is looked at after the other, and only counts are kept.

import { IronlawError, nearestNames } from '@ironlaw/contracts'
import { MOST_FEATURES, type Profile } from '@ironlaw/contracts/profile'
import { parseRecord } from '../read/parse-record.ts'
import { filesNamed, recordsOf } from '../select/records.ts'
import type { FoundFile } from '../read/source-files.ts'
import { RowCounter } from './row-counter.ts'

export type ProfileRequest = {
  /** Each a file, a directory or a pattern. A file that several name is counted once. */
  readonly files: readonly string[]
  /** Paths with dots; all where there are none. */
  readonly columns?: readonly string[]
  readonly onRows?: (rows: number) => void
}

export type FilesProfile = { readonly files: number; readonly profile: Profile }

export async function profileFiles({ files, columns, onRows = () => undefined }: ProfileRequest): Promise<FilesProfile> {
  const counter = new RowCounter(columns)
  const keys = new Set<string>()
  const found = new Map((await Promise.all(files.map(filesNamed))).flat().map((file) => [file.path, file]))
  for (const file of found.values()) await countFile(file, { counter, keys, onRows })
  const profile = counter.profile()
  if (profile.rows === 0)
    throw new IronlawError('IL_DOCUMENT', { path: files.join(', '), reason: 'no rows' }, { next: 'name files that have some' })
  checkColumns(columns ?? [], counter.found, keys)
  return { files: found.size, profile }
}

type Counting = { readonly counter: RowCounter; readonly keys: Set<string>; readonly onRows: (rows: number) => void }

async function countFile(file: FoundFile, { counter, keys, onRows }: Counting): Promise<void> {
  const refuse = (row: number, reason: string, next: string): IronlawError =>
    new IronlawError('IL_DOCUMENT', { path: file.path, reason: `row ${row.toLocaleString('en')}: ${reason}` }, { next })
  let row = 0
  try {
    for await (const { records } of recordsOf(file)) {
      for (const raw of records) {
        row += 1
        const parsed = parseRecord(raw)
        if (parsed.kind === 'broken') throw refuse(row, `it ${parsed.reason}`, 'write the file again, or remove the row')
        if (row === 1) for (const key of Object.keys(parsed.fields).slice(0, MOST_FEATURES)) keys.add(key)
        counter.countRow(parsed.fields)
        if (counter.beyond !== undefined)
          throw refuse(
            row,
            `with column "${counter.beyond}" there are more than ${MOST_FEATURES} features, of which a column has two or more`,
            'choose columns with --columns a,b, and profile the others into another file',
          )
      }
      onRows(records.length)
    }
  } catch (cause) {
    throw cause instanceof IronlawError && cause.code === 'IL_FILE' ? damagedAfter(row, file, cause) : cause
  }
}

const damagedAfter = (row: number, { path }: FoundFile, cause: IronlawError): IronlawError =>
  new IronlawError(
    'IL_FILE',
    { path, reason: `${cause.message.replace(`cannot read ${path}: `, '')}; row ${(row + 1).toLocaleString('en')} was next` },
    { cause, next: cause.next },
  )

function checkColumns(columns: readonly string[], found: ReadonlySet<string>, keys: ReadonlySet<string>): void {
  const missing = columns.find((column) => !found.has(column))
  if (missing === undefined) return
  const near = nearestNames(
    missing,
    [...keys].map((name) => ({ name })),
  )
  const known =
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : `the first row has ${[...keys].slice(0, 20).join(', ') || 'no columns'}`
  throw new IronlawError('IL_USAGE', { problem: `--columns: no row has a column "${missing}"`, command: 'profile' }, { next: known })
}
