// The keys in a file: base64 of 32 bytes each, one a line. The first seals, all open. Whoever can read this file and the database can read the
// secrets, so it must be closed to others; a read-only mount of root's (as container platforms make them) is accepted with any mode.

import { randomBytes } from 'node:crypto'
import { constants, existsSync, type Stats } from 'node:fs'
import { access, link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { IronlawError, systemReason } from '@ironlaw/contracts'
import { fileKey, KEY_BYTES, type Keyring, type KeyWrapper } from './key-wrapper.ts'

export type KeySource = {
  /** As they are now: a changed file is read again. */
  readonly read: () => Promise<Keyring>
  /** A new key that seals from now on. Throws where the keys are not ours to change. */
  readonly add: () => Promise<void>
  /** Keeps only the key that seals. */
  readonly forgetOthers: () => Promise<void>
}

const HEAD = [
  '# Keys of the secrets that the control plane keeps, base64 of 32 random bytes each. The first seals, all open.',
  '# Keep a copy apart from the copies of the database: without it the secrets are lost, with both they are open.',
]

/** Made where there is none; of several control planes that start at once, one makes it. */
export async function createKeyFile(file: string): Promise<void> {
  if (existsSync(file)) return
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const staged = await stage(file, [newKey()])
  try {
    await link(staged, file)
  } catch (cause) {
    if (!isCode(cause, 'EEXIST'))
      throw problemWith(file, `cannot be made: ${systemReason(cause)}`, 'make its directory writable, or name another with --secrets-key')
  } finally {
    await rm(staged, { force: true })
  }
}

export function keyFile(file: string): KeySource {
  let last: { readonly mark: string; readonly keyring: Keyring } | undefined
  const read = async (): Promise<Keyring> => {
    const found = await statKeyFile(file)
    const mark = `${found.ino} ${found.size} ${found.mtimeMs}`
    if (last?.mark !== mark) last = { mark, keyring: keyringOf(file, await readKeys(file)) }
    return last.keyring
  }
  const replace = async (change: (keys: readonly string[]) => readonly string[]): Promise<void> => {
    await refuseReadOnly(file)
    const staged = await stage(file, change(await readKeys(file)))
    await rename(staged, file)
    last = undefined
  }
  return { read, add: () => replace((keys) => [newKey(), ...keys]), forgetOthers: () => replace((keys) => keys.slice(0, 1)) }
}

const newKey = (): string => randomBytes(KEY_BYTES).toString('base64')

async function statKeyFile(file: string): Promise<Stats> {
  let found: Stats
  try {
    found = await stat(file)
  } catch (cause) {
    throw problemWith(file, `cannot be read: ${systemReason(cause)}`, 'put it back from its copy, or name it with --secrets-key')
  }
  const isOpen = (found.mode & 0o077) !== 0
  if (isOpen && !(found.uid === 0 && !(await isWritable(file))))
    throw problemWith(file, `others may read it (mode ${(found.mode & 0o777).toString(8)})`, `close it: chmod 600 ${file}`)
  return found
}

/** For us: root may write what no mode allows, except on a read-only mount. */
const isWritable = (file: string): Promise<boolean> =>
  access(file, constants.W_OK).then(
    () => true,
    // That it may not be written is the answer.
    () => false,
  )

async function refuseReadOnly(file: string): Promise<void> {
  if ((await isWritable(file)) && (await isWritable(dirname(file)))) return
  throw problemWith(
    file,
    'is read-only here',
    'put a new key before the others where the file is made (openssl rand -base64 32), then run "ironlaw secret rotate-key --rewrap-only"',
  )
}

async function readKeys(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8')
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

function keyringOf(file: string, lines: readonly string[]): Keyring {
  const keys: readonly KeyWrapper[] = lines.map((line, index) => {
    const key = Buffer.from(line, 'base64')
    if (key.length !== KEY_BYTES || key.toString('base64') !== line)
      throw problemWith(file, `key ${index + 1} is not base64 of ${KEY_BYTES} bytes`, 'put the file back from its copy')
    return fileKey(key)
  })
  const [sealing] = keys
  if (!sealing) throw problemWith(file, 'has no key', 'put the file back from its copy')
  return { sealing, byId: new Map(keys.map((key) => [key.id, key])) }
}

/** Written whole and to the medium before it takes the place of the other. */
async function stage(file: string, keys: readonly string[]): Promise<string> {
  const staged = `${file}.${randomBytes(6).toString('hex')}.new`
  const handle = await open(staged, 'wx', 0o600)
  try {
    await handle.writeFile([...HEAD, ...keys, ''].join('\n'))
    await handle.sync()
  } finally {
    await handle.close()
  }
  return staged
}

const isCode = (cause: unknown, code: string): boolean => cause instanceof Error && 'code' in cause && cause.code === code

const problemWith = (file: string, problem: string, next: string): IronlawError =>
  new IronlawError('IL_SECRETS_KEY', { problem: `the key file ${file} ${problem}`, next })
