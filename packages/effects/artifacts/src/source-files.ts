// The files that become an artifact: found in the order of their paths, and read once, whole, as they were when we began.

import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, realpath, stat } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import { IronlawError, systemError } from '@ironlaw/contracts'
import { ARTIFACT_PATH, MOST_ARTIFACT_FILES } from '@ironlaw/contracts/artifact'
import type { ReadInto } from './file-chunks.ts'

export type SourceFile = {
  /** In the artifact. */
  readonly path: string
  /** On this machine. */
  readonly from: string
}

export type FileSource = { readonly directory: string } | { readonly files: readonly SourceFile[] }

/** A directory's name may also be that of a single file. */
export async function sourceFiles(source: FileSource): Promise<readonly SourceFile[]> {
  const files = 'files' in source ? source.files : await filesIn(source.directory)
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  if (sorted.length === 0)
    throw refusal('directory' in source ? source.directory : 'the list of files', 'there is no file in it', 'name a directory with files')
  if (sorted.length > MOST_ARTIFACT_FILES)
    throw new IronlawError('IL_LIMIT', {
      what: 'files in one artifact',
      limit: MOST_ARTIFACT_FILES,
      next: 'pack them into fewer, larger files',
    })
  for (const { path, from } of sorted)
    if (!ARTIFACT_PATH.safeParse(path).success)
      throw refusal(
        from,
        `${JSON.stringify(path)} cannot be a path of an artifact`,
        'rename it: no control characters, no backslashes, 1,024 characters at most',
      )
  return sorted
}

async function filesIn(directory: string): Promise<readonly SourceFile[]> {
  const root = await describe(realpath(directory))
  const entry = await describe(stat(root))
  if (!entry.isDirectory()) return [{ path: basename(resolve(directory)), from: root }]
  const files: SourceFile[] = []
  const walk = async (folder: string): Promise<void> => {
    for (const { name } of await describe(readdir(join(root, folder), { withFileTypes: true }))) {
      const path = `${folder}${name}`
      const kind = await kindOf(root, path)
      if (kind === 'directory') await walk(`${path}/`)
      else files.push({ path, from: join(root, path) })
      if (files.length > MOST_ARTIFACT_FILES) return
    }
  }
  await walk('')
  return files
}

async function kindOf(root: string, path: string): Promise<'file' | 'directory'> {
  const from = join(root, path)
  const entry = await describe(lstat(from))
  if (entry.isDirectory()) return 'directory'
  if (entry.isFile()) return 'file'
  if (!entry.isSymbolicLink()) throw refusal(from, 'it is neither a file nor a directory', 'move it out of the directory')
  const target = await describe(realpath(from))
  if (!target.startsWith(root.endsWith(sep) ? root : root + sep))
    throw refusal(from, `it is a link to ${target}, outside of the directory`, 'copy the file into the directory, or remove the link')
  if ((await describe(stat(target))).isFile()) return 'file'
  // A directory is found where it is; through links it could be found without end.
  throw refusal(from, `it is a link to ${target}, which is no file`, 'remove the link')
}

export type OpenSource = { readonly file: FileHandle; readonly size: number; readonly read: ReadInto; readonly rewind: () => void }

/** Fails where the file is not the same at the end as it was at the beginning. */
export async function withSource<T>(from: string, use: (source: OpenSource) => Promise<T>): Promise<T> {
  // Without O_NONBLOCK a pipe that was put there meanwhile would wait for a writer.
  const file = await describe(open(from, constants.O_RDONLY | constants.O_NONBLOCK))
  try {
    const before = await file.stat({ bigint: true })
    if (!before.isFile()) throw refusal(from, 'it is no file', 'move it out of the directory')
    let position = 0
    const size = Number(before.size)
    const read: ReadInto = async (buffer) => {
      const wanted = Math.min(buffer.length, size - position)
      let filled = 0
      while (filled < wanted) {
        const { bytesRead } = await file.read(buffer, filled, wanted - filled, position + filled)
        if (bytesRead === 0) throw changed(from)
        filled += bytesRead
      }
      position += filled
      return filled
    }
    const result = await use({ file, size, read, rewind: () => (position = 0) })
    const after = await file.stat({ bigint: true })
    if (after.size !== before.size || after.mtimeNs !== before.mtimeNs) throw changed(from)
    return result
  } finally {
    await file.close()
  }
}

const changed = (from: string): IronlawError =>
  refusal(from, 'it changed while it was read', 'wait until its writer has finished, and add it again')

const refusal = (path: string, reason: string, next: string): IronlawError => new IronlawError('IL_FILE', { path, reason }, { next })

async function describe<T>(look: Promise<T>): Promise<T> {
  try {
    return await look
  } catch (cause) {
    throw systemError(cause) ?? cause
  }
}
