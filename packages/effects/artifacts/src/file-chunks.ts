// Cuts the bytes of a file into chunks. Lines are cut where their leaf says so: a record that is inserted changes the chunk it falls into
// and leaves the others as they were. Blocks are cut by position.

import type { FileHandle } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Chunk, LeafKind } from '@ironlaw/contracts/artifact'
import { chunkBuffer, type ChunkBuffer } from './chunk-object.ts'
import { beginningOf, type Digest, growingTree, type LeafHash } from './salted-tree.ts'

const MIB = 1024 * 1024
const BLOCK_BYTES = MIB
const BLOCK_CHUNK_BYTES = 16 * MIB
const TARGET_BYTES = 8 * MIB
const LEAST_BYTES = TARGET_BYTES / 4
const MOST_BYTES = 4 * TARGET_BYTES
const MOST_LINE_BYTES = 16 * MIB
const READ_BYTES = MIB
const PROBE_BYTES = 64 * 1024
const TEXT = new Set(['.jsonl', '.ndjson', '.txt', '.csv', '.tsv', '.md'])
const END_OF_LINE = 10

/** No chunk that was ever written is larger. */
export const MOST_CHUNK_BYTES = MOST_BYTES + MOST_LINE_BYTES

export type CutChunk = Chunk & {
  /** As it is stored, not compressed. */
  readonly object: Buffer
}

/** Reads the next bytes of a file into a buffer; 0 at its end. */
export type ReadInto = (buffer: Buffer) => Promise<number>

export async function leafKindOf(path: string, file: FileHandle): Promise<LeafKind> {
  if (!TEXT.has(extname(path).toLowerCase())) return 'block'
  const { buffer, bytesRead } = await file.read(Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, 0)
  return buffer.subarray(0, bytesRead).includes(0) ? 'block' : 'line'
}

/** Every leaf of a chunk's content, in order. */
export function* leavesOf(content: Buffer, kind: LeafKind): Generator<Buffer> {
  for (let start = 0; start < content.length;) {
    const end = kind === 'line' ? content.indexOf(END_OF_LINE, start) + 1 || content.length : Math.min(start + BLOCK_BYTES, content.length)
    yield content.subarray(start, end)
    start = end
  }
}

export function chunkOf(content: Buffer, kind: LeafKind, leafHash: LeafHash): Chunk | undefined {
  const tree = growingTree()
  for (const leaf of leavesOf(content, kind)) tree.add(leafHash(leaf))
  const root = tree.root()
  return root === undefined ? undefined : { root, bytes: content.length, leaves: tree.leaves() }
}

export async function* blockChunks(read: ReadInto, size: number, leafHash: LeafHash): AsyncGenerator<CutChunk> {
  for (let left = size; left > 0;) {
    const { object, content } = chunkBuffer(Math.min(BLOCK_CHUNK_BYTES, left))
    const chunk = chunkOf(content.subarray(0, await read(content)), 'block', leafHash)
    if (chunk === undefined) return
    yield { ...chunk, object: object.subarray(0, chunk.bytes + 1) }
    left -= chunk.bytes
  }
}

/** Ends with 'too long' where a line is longer than a line may be: then the file is one of blocks. */
export async function* lineChunks(read: ReadInto, size: number, leafHash: LeafHash): AsyncGenerator<CutChunk, 'whole' | 'too long'> {
  let buffer = chunkBuffer(Math.min(size, LEAST_BYTES + READ_BYTES))
  let tree = growingTree()
  let [filled, scanned, start] = [0, 0, 0]
  const cut = (end: number): CutChunk => {
    const chunk = { root: tree.root() ?? '', bytes: end, leaves: tree.leaves(), object: buffer.object.subarray(0, end + 1) }
    const rest = buffer.content.subarray(end, filled)
    buffer = chunkBuffer(Math.max(rest.length, LEAST_BYTES) + READ_BYTES)
    rest.copy(buffer.content)
    ;[tree, filled, scanned, start] = [growingTree(), rest.length, 0, 0]
    return chunk
  }
  for (;;) {
    if (filled === buffer.content.length) buffer = grown(buffer)
    const bytes = await read(buffer.content.subarray(filled, filled + READ_BYTES))
    if (bytes === 0) break
    filled += bytes
    let text = buffer.content.subarray(0, filled)
    for (;;) {
      const newline = text.indexOf(END_OF_LINE, scanned)
      scanned = newline === -1 ? filled : newline + 1
      if (scanned - start > MOST_LINE_BYTES) return 'too long'
      if (newline === -1) break
      const leaf = leafHash(text.subarray(start, scanned))
      tree.add(leaf)
      const record = scanned - start
      start = scanned
      if (!endsChunk(leaf, record, start)) continue
      yield cut(start)
      text = buffer.content.subarray(0, filled)
    }
  }
  if (filled > start) tree.add(leafHash(buffer.content.subarray(start, filled)))
  if (filled > 0) yield cut(filled)
  return 'whole'
}

/** Long records are as likely a place to cut as the short ones that they are as long as. */
const endsChunk = (leaf: Digest, record: number, bytes: number): boolean =>
  bytes >= MOST_BYTES || (bytes >= LEAST_BYTES && beginningOf(leaf) < (2 ** 32 * record) / TARGET_BYTES)

function grown(buffer: ChunkBuffer): ChunkBuffer {
  const larger = chunkBuffer(2 * buffer.content.length + READ_BYTES)
  buffer.content.copy(larger.content)
  return larger
}
