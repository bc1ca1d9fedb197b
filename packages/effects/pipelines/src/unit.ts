// A unit of work: a range of one source file. What the units of a spec are depends on the spec and the files only, so that any number of workers, started
// at any time, agrees on them.

import type { DataFormat } from '@ironlaw/contracts/data-spec'

export type Unit = {
  /** Over all sources, from zero. */
  readonly number: number
  /** Index of its source in the spec. */
  readonly source: number
  readonly file: string
  readonly format: DataFormat
  readonly compression?: 'gzip' | 'zstd'
  /** Bytes of the file; of JSON lines a record belongs to the unit in which its first byte lies. Row groups of Parquet. */
  readonly start: number
  readonly end: number
}

export type Fields = Readonly<Record<string, unknown>>

/**
 * A record as it lies in the source. JSON lines stay bytes: who only copies them need not parse them. `broken` is a record that could not be read, with the
 * reason; it counts as a record, so that numbers of later ones stay as they are.
 */
export type RawRecord =
  | { readonly kind: 'line'; readonly bytes: Buffer }
  | { readonly kind: 'fields'; readonly fields: Fields }
  | { readonly kind: 'broken'; readonly reason: string }
