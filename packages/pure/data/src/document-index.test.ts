import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { documentNumber, documentRecord, indexBytes, layoutOfParts, placeOfDocument, recordBytes } from './document-index.ts'
import { samplesOfDocument } from './step-documents.ts'

const digest = '0'.repeat(64)
const shardOf = (offsets: readonly number[]) => ({
  tokens: offsets.at(-1) ?? 0,
  documents: offsets.length - 1,
  tokensDigest: digest,
  documentsDigest: digest,
})

function indexFile(offsets: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(8 * offsets.length)
  for (const [at, offset] of offsets.entries()) new DataView(bytes.buffer).setBigUint64(8 * at, BigInt(offset), true)
  return bytes
}

describe('the index of a shard', () => {
  test('gives the samples of a document from its two entries alone', () => {
    const indexes = [
      [0, 5, 9],
      [0, 3, 20, 24],
    ]
    const dataset = { sequence: 4, shards: indexes.map(shardOf) }
    const { start, end } = indexBytes(1, 3)
    // At an odd offset, as parts of an answer are.
    const content = new Uint8Array([7, ...indexFile(indexes[1] ?? []).subarray(start, end)]).subarray(1)
    const layout = layoutOfParts(dataset, [{ shard: 1, first: 1, content }])
    // Tokens 12 to 28 of the text: samples are windows of five tokens, every four.
    expect(samplesOfDocument({ shard: 1, document: 1 }, layout)).toEqual({ first: 2, end: 8 })
    expect(() => samplesOfDocument({ shard: 0, document: 0 }, layout)).toThrow('shard 0 was not read')
  })

  test('names the record of each document', () => {
    const bytes = new Uint8Array(new Uint32Array([3, 70_000, 1, 2]).buffer)
    const read = (document: number) => documentRecord(bytes.subarray(recordBytes(document).start, recordBytes(document).end))
    expect([read(0), read(1)]).toEqual([
      { unit: 3, record: 70_000 },
      { unit: 1, record: 2 },
    ])
  })
})

test.prop([fc.array(fc.nat(20), { minLength: 1, maxLength: 8 }), fc.nat(200)])(
  'the number of a document and its place in a shard are inverse, and numbers beyond the last have none',
  (counts, document) => {
    const shards = counts.map((documents) => ({ documents }))
    const place = placeOfDocument(shards, document)
    expect(place === undefined).toBe(document >= counts.reduce((sum, each) => sum + each, 0))
    if (place) expect(documentNumber(shards, place)).toBe(document)
  },
)
