// Some bytes of a file, without the rest of it.

import { IronlawError } from '@ironlaw/contracts'
import type { ArtifactFile, ArtifactManifest } from '@ironlaw/contracts/artifact'
import type { Artifacts } from './artifacts.ts'
import { damageError, type FileChunk, listedFiles, readChunks } from './stored-artifact.ts'

export type ByteRange = { readonly start: number; readonly end: number }

/** Verified; only the chunks that hold them are read. */
export async function readRange(artifacts: Artifacts, file: ArtifactFile, { start, end }: ByteRange): Promise<Buffer> {
  const parts: Buffer[] = []
  const { chunks, offsets } = await chunksWithin(artifacts, file, { start, end })
  for await (const read of readChunks(artifacts, chunks)) {
    if (read.state === 'damaged') throw damageError(artifacts, read.damage)
    const offset = offsets[parts.length] ?? 0
    parts.push(read.content.subarray(Math.max(0, start - offset), Math.max(0, end - offset)))
  }
  return Buffer.concat(parts)
}

async function chunksWithin(artifacts: Artifacts, file: ArtifactFile, { start, end }: ByteRange) {
  const only: Pick<ArtifactManifest, 'files'> = { files: [file] }
  const chunks: FileChunk[] = []
  const offsets: number[] = []
  for await (const listed of listedFiles(artifacts, only)) {
    if (listed.state === 'damaged') throw damageError(artifacts, listed.damage)
    let offset = 0
    for (const chunk of listed.list.chunks) {
      if (offset < end && offset + chunk.bytes > start) {
        chunks.push({ file, kind: listed.list.leaf, chunk })
        offsets.push(offset)
      }
      offset += chunk.bytes
    }
  }
  return { chunks, offsets }
}

/** A whole file that is small enough to be held in memory. */
export async function readSmallFile(artifacts: Artifacts, manifest: ArtifactManifest, path: string): Promise<Buffer | undefined> {
  const file = manifest.files.find((each) => each.path === path)
  if (!file) return undefined
  if (file.bytes > MOST_BYTES)
    throw new IronlawError('IL_LIMIT', {
      what: `bytes of ${path} that are read at once`,
      limit: MOST_BYTES,
      next: 'restore the artifact and read the file there',
    })
  return readRange(artifacts, file, { start: 0, end: file.bytes })
}

const MOST_BYTES = 64 * 1024 * 1024
