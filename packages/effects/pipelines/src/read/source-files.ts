// The files that a source names: a file, a directory or a pattern. In the order of their paths, each once, through whatever links.

import type { Stats } from 'node:fs'
import { access, constants, readdir, realpath, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { IronlawError, systemError } from '@ironlaw/contracts'
import { isSideFile } from './file-kind.ts'

export type FoundFile = { readonly path: string; readonly bytes: number }

export type FoundFiles = { readonly by: 'name' | 'directory' | 'pattern'; readonly files: readonly FoundFile[] }

/** Undefined where there is nothing by this name. */
export async function sourceFiles(files: string, directory: string): Promise<FoundFiles | undefined> {
  const path = resolve(directory, files)
  const entry = await entryAt(path)
  if (entry?.isDirectory() === true) return { by: 'directory', files: await filesBelow(path) }
  if (entry !== undefined) return { by: 'name', files: [await namedFile(path, entry)] }
  return files.includes('*') ? { by: 'pattern', files: await matchingFiles(files, directory) } : undefined
}

async function namedFile(path: string, entry: Stats): Promise<FoundFile> {
  if (!entry.isFile()) throw new IronlawError('IL_FILE', { path, reason: 'it is neither a file nor a directory' }, { next: 'name a file' })
  await describe(access(path, constants.R_OK))
  return { path, bytes: entry.size }
}

async function matchingFiles(pattern: string, directory: string): Promise<readonly FoundFile[]> {
  const segments = pattern.replaceAll('\\', '/').split('/')
  const first = segments.findIndex((segment) => segment.includes('*'))
  const root = resolve(directory, segments.slice(0, first).join('/') || (pattern.startsWith('/') ? '/' : '.'))
  if ((await entryAt(root))?.isDirectory() !== true) return []
  const below = segments.slice(first).filter((segment) => segment !== '' && segment !== '.')
  const matches = regularExpression(below)
  const levels = below.includes('**') ? Infinity : below.length
  return await filesBelow(root, { levels, takes: (path) => matches.test(path) })
}

/** `*` stands for any characters within a name, `**` for any directories. */
function regularExpression(segments: readonly string[]): RegExp {
  const source = segments.map((segment, index) => {
    const isLast = index === segments.length - 1
    if (segment === '**') return isLast ? '.*' : '(?:[^/]+/)*'
    const name = segment
      .split('*')
      .map((part) => RegExp.escape(part))
      .join('[^/]*')
    return isLast ? name : `${name}/`
  })
  return new RegExp(`^${source.join('')}$`, 's')
}

type Selection = { readonly levels: number; readonly takes: (path: string) => boolean }

/** Side files and hidden ones left out. Links are followed, but nothing is found twice: neither in a circle nor by two names. */
async function filesBelow(
  root: string,
  { levels, takes }: Selection = { levels: Infinity, takes: () => true },
): Promise<readonly FoundFile[]> {
  const files: FoundFile[] = []
  const seen = new Set<string>()
  const isNew = async (path: string): Promise<boolean> => {
    const real = await describe(realpath(path))
    return !seen.has(real) && seen.add(real).size > 0
  }
  const walk = async (folder: string, left: number): Promise<void> => {
    const names = await describe(readdir(join(root, folder)))
    for (const name of names.toSorted(byCodeUnits)) {
      const [relative, path] = [`${folder}${name}`, join(root, folder, name)]
      if (isSideFile(name)) continue
      const entry = await describe(stat(path))
      if (entry.isDirectory() && left > 1 && (await isNew(path))) await walk(`${relative}/`, left - 1)
      else if (entry.isFile() && takes(relative) && (await isNew(path))) files.push(await namedFile(path, entry))
    }
  }
  await isNew(root)
  await walk('', levels)
  return files.toSorted((a, b) => byCodeUnits(a.path, b.path))
}

/** The same on every machine, whatever its language. */
const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

async function entryAt(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')) return undefined
    throw systemError(cause) ?? cause
  }
}

async function describe<T>(look: Promise<T>): Promise<T> {
  try {
    return await look
  } catch (cause) {
    throw systemError(cause) ?? cause
  }
}

export const fileName = (file: FoundFile): string => basename(file.path)
