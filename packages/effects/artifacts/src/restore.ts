// Writes the files of an artifact to a directory. A file gets its name when all of it is verified, so one that is killed goes on where it
// was, and never leaves a file that is not whole.

import { type FileHandle, mkdir, open, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { IronlawError, systemError } from '@ironlaw/contracts'
import { ARTIFACT_PATH, type ArtifactFile, type ArtifactManifest, type ChunkList } from '@ironlaw/contracts/artifact'
import type { Artifacts } from './artifacts.ts'
import { chunkOf } from './file-chunks.ts'
import type { Progress } from './progress.ts'
import { type LeafHash, leafHasher } from './salted-tree.ts'
import { damageError, type FileChunk, listedFiles, readChunks } from './stored-artifact.ts'

const PARTIAL = '.ironlaw-partial'

export type RestoreOptions = {
  /** Made where it is absent; may hold files of the same artifact from an earlier attempt, and nothing else. */
  readonly to: string
  readonly onProgress?: (progress: Progress) => void
}

export async function restore(artifacts: Artifacts, manifest: ArtifactManifest, { to, onProgress }: RestoreOptions): Promise<void> {
  const present = await describe(presentFiles(to, manifest))
  const leafHash = leafHasher(artifacts.key)
  let [bytes, written_bytes] = [0, 0]
  const count = ({ path }: ArtifactFile, more: { readonly bytes: number; readonly written: number }): void => {
    bytes += more.bytes
    written_bytes += more.written
    onProgress?.({ path, bytes, written_bytes })
  }
  async function* absentChunks(): AsyncGenerator<FileChunk> {
    for await (const listed of listedFiles(artifacts, manifest)) {
      if (listed.state === 'damaged') throw damageError(artifacts, listed.damage)
      const { file, list } = listed
      if (present.has(file.path)) {
        await describe(checkPresent(join(to, file.path), list, leafHash))
        count(file, { bytes: file.bytes, written: 0 })
      } else if (file.bytes === 0) await describe(finish(await startFile(to, file)))
      else yield* list.chunks.map((chunk) => ({ file, kind: list.leaf, chunk }))
    }
  }
  let current: PartialFile | undefined
  try {
    for await (const read of readChunks(artifacts, absentChunks())) {
      if (read.state === 'damaged') throw damageError(artifacts, read.damage)
      current ??= await describe(startFile(to, read.file))
      await describe(writeAll(current.handle, read.content))
      current.bytes += read.content.length
      count(read.file, { bytes: read.content.length, written: read.content.length })
      if (current.bytes < read.file.bytes) continue
      await describe(finish(current))
      current = undefined
    }
  } finally {
    await current?.handle.close()
  }
}

type PartialFile = { readonly path: string; readonly handle: FileHandle; bytes: number }

async function startFile(to: string, file: ArtifactFile): Promise<PartialFile> {
  const path = join(to, file.path)
  await mkdir(dirname(path), { recursive: true })
  return { path, handle: await open(`${path}${PARTIAL}`, 'w'), bytes: 0 }
}

async function finish({ path, handle }: PartialFile): Promise<void> {
  await handle.close()
  await rename(`${path}${PARTIAL}`, path)
}

const writeAll = (handle: FileHandle, content: Buffer): Promise<void> => handle.writeFile(content)

/** Files of an earlier attempt. A link among them could lead a write out of the directory, so nothing but files and directories may be there. */
async function presentFiles(to: string, { files }: ArtifactManifest): Promise<ReadonlySet<string>> {
  const paths = new Set(files.map(({ path }) => path))
  for (const path of paths)
    if (!ARTIFACT_PATH.safeParse(path).success)
      throw new IronlawError('IL_INVALID', { path: 'files', problem: `${JSON.stringify(path)} would be outside of the directory` })
  await mkdir(to, { recursive: true })
  const present = new Set<string>()
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(to, folder), { withFileTypes: true })) {
      const path = `${folder}${entry.name}`
      if (entry.isDirectory()) await walk(`${path}/`)
      else if (entry.isFile() && paths.has(path)) present.add(path)
      else if (!entry.isFile() || !path.endsWith(PARTIAL) || !paths.has(path.slice(0, -PARTIAL.length)))
        throw conflict(to, `it has ${path}, which is no file of the artifact`)
    }
  }
  await walk('')
  return present
}

async function checkPresent(path: string, { leaf, chunks }: ChunkList, leafHash: LeafHash): Promise<void> {
  const handle = await open(path)
  try {
    const { size } = await handle.stat()
    const same = size === chunks.reduce((total, { bytes }) => total + bytes, 0)
    if (!same || !(await hasChunks(handle, { leaf, chunks }, leafHash))) throw conflict(path, 'its content is another')
  } finally {
    await handle.close()
  }
}

async function hasChunks(handle: FileHandle, { leaf, chunks }: ChunkList, leafHash: LeafHash): Promise<boolean> {
  let position = 0
  for (const { root, bytes } of chunks) {
    const content = Buffer.allocUnsafe(bytes)
    for (let filled = 0; filled < bytes;) {
      const { bytesRead } = await handle.read(content, filled, bytes - filled, position + filled)
      if (bytesRead === 0) return false
      filled += bytesRead
    }
    if (chunkOf(content, leaf, leafHash)?.root !== root) return false
    position += bytes
  }
  return true
}

const conflict = (path: string, reason: string): IronlawError =>
  new IronlawError('IL_CONFLICT', {
    problem: `cannot restore to ${path}: ${reason}`,
    next: 'restore to an empty directory, or remove that file',
  })

async function describe<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    throw systemError(cause) ?? cause
  }
}
