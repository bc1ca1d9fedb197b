// JSON in files that several processes share: written under another name and renamed, so that nobody reads a part of one.

import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, stat, writeFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemError } from '@ironlaw/contracts'

export async function writeJsonFile(path: string, value: object): Promise<void> {
  await withTemporary(path, value, (temporary) => rename(temporary, path))
}

/** Of several that write it, the first one's stays. */
export async function writeNewJsonFile(path: string, value: object): Promise<void> {
  await withTemporary(path, value, (temporary) =>
    link(temporary, path).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw cause
    }),
  )
}

async function withTemporary(path: string, value: object, publish: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(temporary, JSON.stringify(value))
    await publish(temporary)
  } catch (cause) {
    throw systemError(cause) ?? cause
  } finally {
    await rm(temporary, { force: true })
  }
}

export const readJsonFile = async <Value>(path: string): Promise<Value> => JSON.parse(await readFile(path, 'utf8'))

export const isAbsent = async (path: string): Promise<boolean> =>
  await stat(path).then(
    () => false,
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return true
      throw systemError(cause) ?? cause
    },
  )
