// What the control plane does on shared storage. These run in a process of their own (`child.ts`), because a file system that hangs
// holds its caller for ever. Only regular files of a sane size are read: a job owns its directory and can put anything there.

import { constants } from 'node:fs'
import { chmod, type FileHandle, lstat, mkdir, open, opendir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { readPart } from './read-part.ts'

const path = z.string()
const texts = z.array(z.object({ name: z.string(), text: z.string() }))

/** Input and answer of each operation; an answer that is null means that there is nothing of that kind. */
export const OPERATIONS = {
  read: { input: z.object({ file: path, limit_bytes: z.int() }), answer: z.string().nullable() },
  readPart: {
    input: z.object({ file: path, offset: z.int().describe('Byte offset; negative counts from the end'), limit_bytes: z.int() }),
    answer: z.object({ text: z.string(), next: z.int() }).nullable(),
  },
  readAll: { input: z.object({ directory: path, files: z.int(), limit_bytes: z.int() }), answer: texts },
  writePrivate: { input: z.object({ file: path, text: z.string() }), answer: z.null() },
  writePublic: { input: z.object({ file: path, text: z.string() }), answer: z.null() },
  writeSecrets: { input: z.object({ directory: path, files: texts }), answer: z.null() },
  removeFolder: { input: z.object({ directory: path }), answer: z.null() },
  mark: { input: z.object({ directory: path }), answer: z.null() },
  probe: { input: z.object({ directory: path }), answer: z.boolean() },
  own: { input: z.object({ directory: path, uid: z.int(), gid: z.int() }), answer: z.null() },
  open: { input: z.object({ directory: path }), answer: z.null() },
  ownerOf: { input: z.object({ directory: path }), answer: z.object({ uid: z.int(), gid: z.int() }).nullable() },
} as const

export type OperationName = keyof typeof OPERATIONS
export type Input<Name extends OperationName> = z.infer<(typeof OPERATIONS)[Name]['input']>
export type OperationAnswer<Name extends OperationName> = z.infer<(typeof OPERATIONS)[Name]['answer']>

type Performers = { readonly [Name in OperationName]: (input: Input<Name>) => Promise<OperationAnswer<Name>> }

/** Put into the directory once: where it is missing later, something else is mounted there, or nothing. */
const MARKER = '.ironlaw-storage'
const REPORT_DIRECTORY = /^node-\d+$/
const REPORT_FILE = /^\d+\.json$/

const PERFORM: Performers = {
  read: ({ file, limit_bytes }) => readRegularFile(file, limit_bytes),
  readPart: async ({ file, offset, limit_bytes }) => {
    const handle = await openFile(file)
    if (!handle) return null
    try {
      return (await handle.stat()).isFile() ? await readPart(handle, { offset, limit_bytes }) : null
    } finally {
      await handle.close()
    }
  },
  readAll: async ({ directory, files, limit_bytes }) => {
    const names: string[] = []
    for (const node of await namesIn(directory, REPORT_DIRECTORY, files))
      for (const name of await namesIn(join(directory, node), REPORT_FILE, files - names.length)) names.push(`${node}/${name}`)
    const found: { name: string; text: string }[] = []
    for (const name of names.toSorted()) {
      const text = await readRegularFile(join(directory, name), limit_bytes)
      if (text !== null) found.push({ name, text })
    }
    return found
  },
  writePrivate: async ({ file, text }) => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeAtomically(file, text)
    return null
  },
  writePublic: async ({ file, text }) => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeAtomically(file, text, 0o644)
    return null
  },
  writeSecrets: async ({ directory, files }) => {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await chmod(directory, 0o700)
    for (const { name, text } of files) await writeAtomically(join(directory, name), text, 0o400)
    return null
  },
  removeFolder: async ({ directory }) => {
    await rm(directory, { recursive: true, force: true })
    return null
  },
  mark: async ({ directory }) => {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    if (!(await exists(join(directory, MARKER)))) await writeAtomically(join(directory, MARKER), 'Ironlaw keeps its runs here.\n')
    return null
  },
  probe: async ({ directory }) => {
    if (!(await exists(join(directory, MARKER)))) return false
    // Written to the medium: a full or failing file system may take bytes into memory and lose them.
    const file = join(directory, `${MARKER}.probe.${process.pid}`)
    await writeAtomically(file, 'probe\n')
    await rm(file)
    return true
  },
  // The folder around it is ours alone, so nobody can have put a link here.
  own: async ({ directory, uid, gid }) => {
    await mkdir(dirname(directory), { recursive: true, mode: TRAVERSABLE })
    await mkdir(directory, { mode: 0o700 }).catch(unlessThere)
    const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    try {
      const owner = (await handle.stat()).uid
      // Empty and ours: we were killed between two of these calls.
      const isFresh = owner === process.getuid?.() && (await namesIn(directory, /./, 1)).length === 0
      if (owner !== uid && !isFresh) throw new Error(`${directory} belongs to the user with uid ${owner}`)
      await handle.chmod(0o700)
      await handle.chown(uid, gid)
    } finally {
      await handle.close()
    }
    return null
  },
  open: async ({ directory }) => {
    await mkdir(directory, { recursive: true, mode: TRAVERSABLE })
    await chmod(directory, TRAVERSABLE)
    return null
  },
  ownerOf: async ({ directory }) => {
    const found = await unlessMissing(() => lstat(directory))
    return found?.isDirectory() ? { uid: found.uid, gid: found.gid } : null
  },
}

/** Whoever knows what is inside can go there; nobody else can list it. */
const TRAVERSABLE = 0o711

function unlessThere(cause: unknown): void {
  if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause
}

/** With an input that came from another process. */
export const performOperation = async <Name extends OperationName>(name: Name, input: unknown): Promise<OperationAnswer<Name>> =>
  PERFORM[name](OPERATIONS[name].input.parse(input) as Input<Name>)

/** Without following links and without waiting for the writer of a pipe; null when it is not a regular file, or too large. */
async function readRegularFile(file: string, limit_bytes: number): Promise<string | null> {
  const handle = await openFile(file)
  if (!handle) return null
  try {
    const stat = await handle.stat()
    if (!stat.isFile() || stat.size > limit_bytes) return null
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(stat.size), { position: 0 })
    return buffer.subarray(0, bytesRead).toString('utf8')
  } finally {
    await handle.close()
  }
}

const openFile = (file: string): Promise<FileHandle | undefined> =>
  unlessMissing(() => open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW))

async function namesIn(directory: string, pattern: RegExp, limit: number): Promise<readonly string[]> {
  const entries = await unlessMissing(() => opendir(directory))
  if (!entries) return []
  const names: string[] = []
  for await (const { name } of entries) {
    if (names.length >= limit) break
    if (pattern.test(name)) names.push(name)
  }
  return names.toSorted()
}

const exists = async (file: string): Promise<boolean> => (await unlessMissing(() => lstat(file))) !== undefined

async function writeAtomically(file: string, text: string, mode = 0o600): Promise<void> {
  const staged = `${file}.${process.pid}.new`
  await rm(staged, { force: true })
  const handle = await open(staged, 'wx', mode)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(staged, file)
}

/** What we may not see counts as missing too: that is a matter of configuration and passes with no outage. */
const MISSING = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES', 'EPERM']

async function unlessMissing<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && MISSING.some((code) => code === cause.code)) return undefined
    throw cause
  }
}
