// The index of a shard: where each document begins and at last how many tokens there are, as 64-bit little-endian numbers. Whoever has the file
// reads the entries that matter; here they become a layout.

import type { TokenDataset } from '@ironlaw/contracts/token-dataset'
import type { DocumentPlace, TokenLayout } from './step-documents.ts'

const ENTRY_BYTES = 8
const RECORD_BYTES = 8

/** Bytes of an index that hold entries from `first` up to, not including, `end`. */
export const indexBytes = (first: number, end: number): { readonly start: number; readonly end: number } => ({
  start: ENTRY_BYTES * first,
  end: ENTRY_BYTES * end,
})

/** Entries of the index of one shard, from `first` on. */
export type IndexPart = { readonly shard: number; readonly first: number; readonly content: Uint8Array }

/** Knows the offsets of the entries that were read; asked for others it throws. */
export function layoutOfParts({ sequence, shards }: Pick<TokenDataset, 'sequence' | 'shards'>, parts: readonly IndexPart[]): TokenLayout {
  const read = new Map(parts.map(({ shard, first, content }) => [shard, { first, view: viewOf(content) }]))
  const offsetAt = (shard: number, entry: number): number => {
    const part = read.get(shard)
    if (!part) throw new RangeError(`the index of shard ${shard} was not read`)
    return Number(part.view.getBigUint64(ENTRY_BYTES * (entry - part.first), true))
  }
  return {
    sequence,
    shards: shards.map(({ tokens, documents }, shard) => ({ tokens, documents, offsetAt: (entry) => offsetAt(shard, entry) })),
  }
}

/** Where a document came from: the unit of the sources, and the record in it, counted from zero. */
export type DocumentRecord = { readonly unit: number; readonly record: number }

/** Bytes of the records of a shard that name one document. */
export const recordBytes = (document: number): { readonly start: number; readonly end: number } => ({
  start: RECORD_BYTES * document,
  end: RECORD_BYTES * (document + 1),
})

export function documentRecord(content: Uint8Array): DocumentRecord {
  const view = viewOf(content)
  return { unit: view.getUint32(0, true), record: view.getUint32(4, true) }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView => new DataView(buffer, byteOffset, byteLength)

type Shards = readonly { readonly documents: number }[]

/** A document by its number over all shards; undefined where there are fewer. */
export function placeOfDocument(shards: Shards, document: number): DocumentPlace | undefined {
  let left = document
  for (const [shard, { documents }] of shards.entries()) {
    if (left < documents) return { shard, document: left }
    left -= documents
  }
  return undefined
}

export const documentNumber = (shards: Shards, { shard, document }: DocumentPlace): number =>
  shards.slice(0, shard).reduce((sum, { documents }) => sum + documents, document)
