// A part of a file of text, cut between characters.

import type { FileHandle } from 'node:fs/promises'

export type FilePart = { readonly text: string; readonly next: number }

/** From a byte on; a negative offset counts from the end. */
export async function readPart(file: FileHandle, { offset, limit_bytes }: { offset: number; limit_bytes: number }): Promise<FilePart> {
  const { size } = await file.stat()
  const start = offset < 0 ? Math.max(0, size + offset) : Math.min(offset, size)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(limit_bytes, size - start)), { position: start })
  const whole = buffer.subarray(0, wholeCharacters(buffer.subarray(0, bytesRead)))
  return { text: whole.toString('utf8'), next: start + whole.length }
}

/** Bytes without a character whose end is still to come (RFC 3629: a lead byte says how many follow, at most three). */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
