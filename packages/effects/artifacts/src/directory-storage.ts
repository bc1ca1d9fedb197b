// Objects as files of a directory that all machines see. An object is written under another name, synced and renamed, so that a reader
// finds it whole or not at all, also after a power failure; link(2) decides between several writers of a new one.

import { randomUUID } from 'node:crypto'
import { chmod, link, lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { IronlawError, systemError } from '@ironlaw/contracts'
import { byKey, checkKey, STAGING } from './object-key.ts'
import type { ObjectStorage, StoredObject } from './object-storage.ts'
import { withinTime } from './time-limit.ts'

const OBJECT_MODE = 0o444
const TIME_LIMIT_MS = 120_000
/** A writer that takes longer than a day is dead. */
const STALE_STAGING_S = 86_400

export function directoryStorage(root: string, url = root): ObjectStorage {
  const pathOf = (key: string): string => {
    checkKey(key)
    return join(root, key)
  }
  const writing = <T>(path: string, work: Promise<T>): Promise<T> => describeFailure({ path, code: 'IL_WRITE' }, work)
  const reading = <T>(path: string, work: Promise<T>): Promise<T> => describeFailure({ path, code: 'IL_FILE' }, work)
  const staging = stagingArea(root)
  return {
    url,
    put: async (key, content) => {
      const path = pathOf(key)
      await writing(
        path,
        staging.write(content, async (staged) => {
          await inDirectory(root, path, () => rename(staged, path))
          await syncDirectory(dirname(path))
        }),
      )
    },
    putNew: async (key, content) => {
      const path = pathOf(key)
      return await writing(
        path,
        staging.write(content, async (staged) => {
          if (!(await linkNew(root, staged, path))) return 'exists'
          await syncDirectory(dirname(path))
          return 'written'
        }),
      )
    },
    get: async (key) => {
      const path = pathOf(key)
      return await reading(path, unlessAbsent(readFile(path)))
    },
    has: async (key) => {
      const path = pathOf(key)
      return (await reading(path, unlessAbsent(stat(path))))?.isFile() ?? false
    },
    list: (prefix) => objectsUnder(root, '', prefix),
    remove: async (key) => {
      const path = pathOf(key)
      await writing(path, rm(path, { force: true }))
    },
  }
}

type Staging = { readonly write: <T>(content: Uint8Array, publish: (staged: string) => Promise<T>) => Promise<T> }

function stagingArea(root: string): Staging {
  const directory = join(root, STAGING)
  let ready: Promise<void> | undefined
  return {
    write: async (content, publish) => {
      ready ??= prepareStaging(root, directory)
      await ready
      const staged = join(directory, randomUUID())
      try {
        const handle = await open(staged, 'wx', 0o600)
        try {
          await handle.writeFile(content)
          await handle.chmod(OBJECT_MODE)
          await handle.sync()
        } finally {
          await handle.close()
        }
        return await publish(staged)
      } finally {
        await rm(staged, { force: true })
      }
    },
  }
}

async function prepareStaging(root: string, directory: string): Promise<void> {
  await mkdir(root, { recursive: true })
  await makeDirectory(root, directory)
  const oldest_ms = Date.now() - STALE_STAGING_S * 1000
  for (const name of await readdir(directory)) {
    const path = join(directory, name)
    const entry = await unlessAbsent(lstat(path))
    if (entry !== undefined && entry.mtimeMs < oldest_ms) await rm(path, { force: true })
  }
}

/** Directories get the mode of the root: who may write there may write everywhere, whoever made a directory first. */
async function makeDirectory(root: string, directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true })
  if (first === undefined) return
  const { mode } = await stat(root)
  for (let each = directory; each.length >= first.length; each = dirname(each)) {
    await chmod(each, mode & 0o7777)
    await syncDirectory(dirname(each))
  }
}

async function inDirectory(root: string, path: string, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (cause) {
    if (errorCode(cause) !== 'ENOENT') throw cause
    await makeDirectory(root, dirname(path))
    await act()
  }
}

async function linkNew(root: string, staged: string, path: string): Promise<boolean> {
  try {
    await inDirectory(root, path, () => link(staged, path))
    return true
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') return false
    throw cause
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function* objectsUnder(root: string, folder: string, prefix: string): AsyncGenerator<StoredObject> {
  const directory = join(root, folder)
  const entries = await describeFailure({ path: directory, code: 'IL_FILE' }, unlessAbsent(readdir(directory, { withFileTypes: true })))
  const names = (entries ?? [])
    .filter((entry) => entry.isDirectory() || entry.isFile())
    // With the slash that its keys have, "a-b" comes before "a/b" as it does in S3.
    .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`)
    .toSorted(byKey)
  for (const name of names) {
    if (name === `${STAGING}/`) continue
    if (name.endsWith('/')) {
      if (name.startsWith(prefix) || prefix.startsWith(name)) yield* objectsUnder(root, name, prefix)
    } else if (name.startsWith(prefix)) {
      const path = join(root, name)
      const entry = await describeFailure({ path, code: 'IL_FILE' }, unlessAbsent(stat(path)))
      if (entry !== undefined) yield { key: name.replaceAll(sep, '/'), bytes: entry.size, modified_at: entry.mtimeMs / 1000 }
    }
  }
}

async function unlessAbsent<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errorCode(cause))) return undefined
    throw cause
  }
}

const errorCode = (cause: unknown): string => (cause instanceof Error && 'code' in cause ? String(cause.code) : '')

type Access = { readonly path: string; readonly code: 'IL_WRITE' | 'IL_FILE' }

async function describeFailure<T>({ path, code }: Access, work: Promise<T>): Promise<T> {
  const late = (): Error =>
    new IronlawError(
      code,
      { path, reason: `the file system did not answer for ${TIME_LIMIT_MS / 1000} s` },
      { next: 'check that its server runs' },
    )
  try {
    return await withinTime(work, TIME_LIMIT_MS, late)
  } catch (cause) {
    if (cause instanceof IronlawError) throw cause
    if (['ENOSPC', 'EDQUOT'].includes(errorCode(cause))) throw new IronlawError('IL_DISK_FULL', { path }, { cause })
    throw systemError(cause) ?? new IronlawError(code, { path, reason: cause instanceof Error ? cause.message : String(cause) }, { cause })
  }
}
