// How a chunk is stored: one byte that says whether it is compressed, then its content. Compression is no part of a chunk's identity, its
// root is over the content.

import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

const PLAIN = 0
const ZSTD = 1
const LEVEL = 3

/** A buffer with room for the byte in front, so that a chunk is stored without another copy of it. */
export type ChunkBuffer = { readonly object: Buffer; readonly content: Buffer }

export function chunkBuffer(bytes: number): ChunkBuffer {
  const object = Buffer.allocUnsafeSlow(bytes + 1)
  object[0] = PLAIN
  return { object, content: object.subarray(1) }
}

export async function compressedObject(plain: Buffer): Promise<Buffer> {
  const compressed = await compress(plain.subarray(1), { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })
  return compressed.length + 1 < plain.length ? Buffer.concat([Uint8Array.of(ZSTD), compressed]) : plain
}

/** Undefined where it cannot be what was stored. */
export async function chunkContent(object: Buffer, bytes: number): Promise<Buffer | undefined> {
  if (object[0] === PLAIN) return object.length === bytes + 1 ? object.subarray(1) : undefined
  if (object[0] !== ZSTD) return undefined
  try {
    const content = await decompress(object.subarray(1), { maxOutputLength: Math.max(1, bytes) })
    return content.length === bytes ? content : undefined
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return undefined
    throw cause
  }
}
