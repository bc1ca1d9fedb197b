// Tokens of a unit, by the shard that they will be in. A document's place in the order of contents decides its shard and its place there, so that the order of the
// whole dataset is a shuffle that depends on the seed only.

import { contentNumbers } from '../content.ts'
import type { Document } from '../document.ts'
import { tokenBytes, type Tokenizing } from '../tokenizing.ts'
import { writeWhole } from '../work-directory.ts'
import type { Output, OutputFacts, Segment } from './write.ts'

/** Of each document in a segment: its order, its record, its tokens. */
export const PLACE_BYTES = 16

type Open = { orders: number[]; records: number[]; lengths: number[]; tokens: Uint32Array[]; count: number }

export type TokenPart = { readonly path: string; readonly shards: number; readonly seed: number; readonly tokenizing: Tokenizing }

export function tokenPart({ path, shards, seed, tokenizing }: TokenPart): Output {
  const open: Open[] = Array.from({ length: shards }, () => ({ orders: [], records: [], lengths: [], tokens: [], count: 0 }))
  const { encode, separator } = tokenizing
  return {
    cause: 'tokenize',
    add: ({ text, record }: Document) => {
      const { order } = contentNumbers(text, seed)
      const tokens = encode(text)
      const shard = open[Math.floor((order / 2 ** 53) * shards)] as Open
      shard.orders.push(order)
      shard.records.push(record)
      shard.lengths.push(tokens.length + 1)
      shard.tokens.push(tokens, Uint32Array.of(separator))
      shard.count += tokens.length + 1
      return tokens.length + 1
    },
    close: async () => await writeSegments(path, open, tokenBytes(tokenizing)),
  }
}

async function writeSegments(path: string, open: readonly Open[], width: 2 | 4): Promise<OutputFacts> {
  const segments: Segment[] = []
  let bytes = 0
  await writeWhole(path, async (file) => {
    for (const { orders, records, lengths, tokens, count } of open) {
      segments.push({ documents: orders.length, tokens: count, start: bytes })
      const content = Buffer.concat([
        bytesOf(Float64Array.from(orders)),
        bytesOf(Uint32Array.from(records)),
        bytesOf(Uint32Array.from(lengths)),
        bytesOf(joined(tokens, count, width)),
      ])
      await file.writeFile(content)
      bytes += content.length
    }
  })
  return { bytes, segments }
}

function joined(tokens: readonly Uint32Array[], count: number, width: 2 | 4): Uint16Array | Uint32Array {
  const all = width === 2 ? new Uint16Array(count) : new Uint32Array(count)
  let at = 0
  for (const each of tokens) {
    all.set(each, at)
    at += each.length
  }
  return all
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer => Buffer.from(buffer, byteOffset, byteLength)
