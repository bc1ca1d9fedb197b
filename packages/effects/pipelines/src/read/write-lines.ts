// Writes JSON lines, compressed with zstd unless asked otherwise. The file appears under its name when it is whole and on the disk. Its bytes depend on the
// records and the level only, not on how they were batched: the compressor gets blocks of one size. One frame, as many readers stop after the first.

import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PassThrough, type Transform } from 'node:stream'
import { constants, createZstdCompress } from 'node:zlib'
import { systemError } from '@ironlaw/contracts'
import type { Fields } from '../unit.ts'

const BLOCK_BYTES = 1024 * 1024
const NEWLINE = 10
const LEVEL = 3

export type WrittenLines = {
  readonly lines: number
  /** Of the file. */
  readonly bytes: number
  readonly sha256: string
}

export type LinesWriter = {
  /** Lines as bytes, without their newline, or as fields. Resolves when more may come. */
  readonly write: (lines: readonly (Buffer | Fields)[]) => Promise<void>
  /** Gives the file its name. */
  readonly finish: () => Promise<WrittenLines>
  /** Leaves nothing behind. */
  readonly discard: () => Promise<void>
}

export async function openLinesWriter(
  file: string,
  options: { readonly level?: number; readonly isPlain?: boolean } = {},
): Promise<LinesWriter> {
  // Hidden, so that who reads the directory meanwhile does not find it.
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}`)
  const handle = await describe(file, open(temporary, 'wx'))
  const compress = options.isPlain === true ? new PassThrough() : compressor(options.level ?? LEVEL)
  const compressed = describe(file, writeCompressed(compress, handle))
  // Whoever writes or finishes next sees it.
  compressed.catch(() => undefined)
  const blocks = blockWriter(compress)
  let lines = 0

  const write = async (batch: readonly (Buffer | Fields)[]): Promise<void> => {
    for (const line of batch) {
      const full = blocks.add(Buffer.isBuffer(line) ? line : Buffer.from(JSON.stringify(line)))
      // Only where a block is full, so about once a megabyte.
      if (full !== undefined) await Promise.race([full, compressed])
    }
    lines += batch.length
  }

  const discard = async (): Promise<void> => {
    compress.destroy()
    // Destroyed on purpose; its error is the expected end.
    await compressed.catch(() => undefined)
    await handle.close()
    await rm(temporary, { force: true })
  }

  const finish = async (): Promise<WrittenLines> => {
    try {
      await Promise.race([blocks.end(), compressed])
      const written = await compressed
      await describe(file, handle.sync())
      await describe(file, rename(temporary, file))
      await handle.close()
      await syncDirectory(dirname(file))
      return { lines, ...written }
    } catch (cause) {
      await discard()
      throw cause
    }
  }

  return { write, finish, discard }
}

const compressor = (level: number): Transform =>
  createZstdCompress({
    chunkSize: BLOCK_BYTES,
    params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 },
  })

type BlockWriter = {
  /** Adds a line and its end; a promise where the compressor must take a block before more may come. */
  readonly add: (line: Buffer) => Promise<void> | undefined
  readonly end: () => Promise<void>
}

function blockWriter(compress: Transform): BlockWriter {
  let block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  let filled = 0
  let taken: Promise<void> | undefined

  const send = async (full: Buffer = block): Promise<void> => {
    const before = taken
    ;[block, filled] = [Buffer.allocUnsafeSlow(BLOCK_BYTES), 0]
    taken = new Promise((resolve, reject) => {
      compress.write(full, (error) => (error ? reject(error) : resolve()))
    })
    // The caller awaits it with the next block, or sees the same error of the compressor when it finishes.
    taken.catch(() => undefined)
    // The next block is filled while the compressor works on this one.
    return before ?? Promise.resolve()
  }

  const add = (line: Buffer): Promise<void> | undefined => {
    let wait: Promise<void> | undefined
    for (let at = 0; at < line.length;) {
      const copied = line.copy(block, filled, at)
      at += copied
      filled += copied
      if (filled === BLOCK_BYTES) wait = send()
    }
    block[filled++] = NEWLINE
    return filled === BLOCK_BYTES ? send() : wait
  }

  // One write at a time to the last: data that is still queued when the end comes makes Node close the frame twice, with an empty one behind.
  const end = async (): Promise<void> => {
    if (filled > 0) await send(block.subarray(0, filled))
    await taken
    compress.end()
  }

  return { add, end }
}

async function writeCompressed(compress: Transform, handle: FileHandle): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of compress as AsyncIterable<Buffer>) {
    hash.update(chunk)
    for (let at = 0; at < chunk.length;) at += (await handle.write(chunk, at)).bytesWritten
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** A rename is on the disk only when its directory is. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await describe(directory, open(directory))
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function describe<T>(path: string, act: Promise<T>): Promise<T> {
  try {
    return await act
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw systemError(Object.assign(cause, { path })) ?? cause
  }
}
