// The bytes of a source file, decompressed, in chunks of bounded size. Every chunk is a buffer of its own, so that records may point into it.

import { type FileHandle, open } from 'node:fs/promises'
import { pipeline, Readable, type Transform } from 'node:stream'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'
import { IronlawError, systemError } from '@ironlaw/contracts'
import type { Unit } from '../unit.ts'

const CHUNK_BYTES = 1024 * 1024
const COMPRESSED_CHUNK_BYTES = 256 * 1024

type Compression = NonNullable<Unit['compression']>

/** From a byte on to the end. Fails where compressed data ends early or is none. */
export function fileBytes(
  file: string,
  options: { readonly compression?: Compression; readonly start?: number } = {},
): AsyncIterable<Buffer> {
  return options.compression === undefined
    ? plainBytes(file, { start: options.start ?? 0, chunkBytes: CHUNK_BYTES })
    : decompressedBytes(file, options.compression)
}

async function* plainBytes(file: string, from: { readonly start: number; readonly chunkBytes: number }): AsyncGenerator<Buffer> {
  const handle = await openFile(file)
  let next: Promise<Buffer> | undefined
  try {
    let position = from.start
    for (;;) {
      const chunk = await (next ?? readChunk(handle, position, from.chunkBytes))
      if (chunk.length === 0) return
      position += chunk.length
      // The next chunk is read while the consumer works on this one.
      next = readChunk(handle, position, from.chunkBytes)
      // A consumer that stops early does not see how this ends.
      next.catch(() => undefined)
      yield chunk
    }
  } catch (cause) {
    throw readFailure(file, cause)
  } finally {
    // The read must have ended before the file is closed; how it ended was thrown above, or does not matter any more.
    await next?.catch(() => undefined)
    await handle.close()
  }
}

async function readChunk(handle: FileHandle, position: number, bytes: number): Promise<Buffer> {
  // Not from the pool, where a small record would keep a buffer alive that others write to.
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(bytes), 0, bytes, position)
  return buffer.subarray(0, bytesRead)
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file)
  } catch (cause) {
    throw systemError(cause) ?? cause
  }
}

/**
 * The decompressor of Node ends silently after the first frame of zstd data, though programs write many (pzstd, or files that were joined). So it is started
 * again behind what it has consumed.
 */
async function* decompressedBytes(file: string, compression: Compression): AsyncGenerator<Buffer> {
  const { size } = await sizeOf(file)
  let [consumed, written] = [0, 0]
  do {
    const decompress = decompressor(compression)
    const compressed = Readable.from(plainBytes(file, { start: consumed, chunkBytes: COMPRESSED_CHUNK_BYTES }), { highWaterMark: 1 })
    // Its error reaches us through the iteration.
    pipeline(compressed, decompress, () => undefined)
    try {
      for await (const chunk of decompress as AsyncIterable<Buffer>) {
        written += chunk.length
        yield chunk
      }
    } catch (cause) {
      throw damage(cause, { file, compression, written })
    }
    // Padding behind the end of gzip data is none of ours; it says itself where there is another member.
    if (compression === 'gzip') return
    consumed += (decompress as unknown as { readonly bytesWritten: number }).bytesWritten
  } while (consumed < size)
}

const decompressor = (compression: Compression): Transform =>
  compression === 'gzip'
    ? createGunzip({ chunkSize: CHUNK_BYTES })
    : // Published dumps use windows of 2 GiB, which are refused unless asked for.
      createZstdDecompress({ chunkSize: CHUNK_BYTES, params: { [constants.ZSTD_d_windowLogMax]: 31 } })

async function sizeOf(file: string): Promise<{ readonly size: number }> {
  const handle = await openFile(file)
  try {
    return await handle.stat()
  } finally {
    await handle.close()
  }
}

type Progress = { readonly file: string; readonly compression: Compression; readonly written: number }

function damage(cause: unknown, { file, compression, written }: Progress): unknown {
  if (cause instanceof IronlawError || !(cause instanceof Error && 'code' in cause)) return cause
  const code = String(cause.code)
  if (!code.startsWith('Z_') && !code.startsWith('ZSTD_')) return cause
  const problem = code === 'Z_BUF_ERROR' ? `the ${compression} data ends early` : `it is not valid ${compression} data (${cause.message})`
  return new IronlawError(
    'IL_FILE',
    { path: file, reason: `${problem}, after ${written} decompressed bytes` },
    { cause, next: 'copy or download it again; where it was meant to be plain, remove the extension from its name' },
  )
}

function readFailure(file: string, cause: unknown): unknown {
  if (cause instanceof IronlawError) return cause
  if (!(cause instanceof Error && 'syscall' in cause)) return cause
  // Errors of a read carry no path.
  return systemError(Object.assign(cause, { path: file })) ?? new IronlawError('IL_FILE', { path: file, reason: cause.message }, { cause })
}
