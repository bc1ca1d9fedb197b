// Tokens of a unit, by the shard that they will be in. A document's place in the order of contents decides its shard and its place there, so that the order of the
// whole dataset is a shuffle that depends on the seed only.

import { contentNumbers } from '../content.ts'
import type { Document } from '../document.ts'
import { tokenBytes, type Tokenizing } from '../tokenizing.ts'
import { createWhole, type WholeFile } from '../work-directory.ts'
import type { Output, Segment } from './write.ts'

/** Of each document in a segment: its order, its record, its tokens. */
export const PLACE_BYTES = 16

type Open = { orders: number[]; records: number[]; lengths: number[]; tokens: Uint32Array[]; count: number }

const opened = (): Open => ({ orders: [], records: [], lengths: [], tokens: [], count: 0 })

export type TokenPart = { readonly path: string; readonly shards: number; readonly seed: number; readonly tokenizing: Tokenizing }

/** Tokens of all shards that are held before they are written as a block: a unit may be larger than memory. */
const BLOCK_TOKENS = 2 ** 25

export function tokenPart({ path, shards, seed, tokenizing }: TokenPart): Output {
  const { encode, separator } = tokenizing
  const width = tokenBytes(tokenizing)
  const segments: Segment[] = []
  let open = Array.from({ length: shards }, opened)
  let file: WholeFile | undefined
  let held = 0
  let bytes = 0
  const flush = async (): Promise<void> => {
    file ??= await createWhole(path)
    for (const [shard, each] of open.entries()) {
      if (each.orders.length === 0) continue
      const content = segmentBytes(each, width)
      segments.push({ shard, documents: each.orders.length, tokens: each.count, start: bytes })
      bytes += content.length
      await file.write(content)
    }
    open = Array.from({ length: shards }, opened)
    held = 0
  }
  return {
    cause: 'tokenize',
    add: async ({ text, record }: Document) => {
      const { order } = contentNumbers(text, seed)
      const tokens = encode(text)
      const shard = open[Math.floor((order / 2 ** 53) * shards)] as Open
      shard.orders.push(order)
      shard.records.push(record)
      shard.lengths.push(tokens.length + 1)
      shard.tokens.push(tokens, Uint32Array.of(separator))
      shard.count += tokens.length + 1
      held += tokens.length + 1
      if (held >= BLOCK_TOKENS) await flush()
      return tokens.length + 1
    },
    close: async () => {
      await flush()
      await file?.commit()
      return { bytes, segments }
    },
    abandon: async () => await file?.abandon(),
  }
}

const segmentBytes = ({ orders, records, lengths, tokens, count }: Open, width: 2 | 4): Buffer =>
  Buffer.concat([
    bytesOf(Float64Array.from(orders)),
    bytesOf(Uint32Array.from(records)),
    bytesOf(Uint32Array.from(lengths)),
    bytesOf(joined(tokens, count, width)),
  ])

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
