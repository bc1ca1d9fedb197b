// The code of a program as its git repository has it: commit, what differs from it, where it is fetched from. Contents of files are digested and never
// sent. Nothing here writes to the repository.

import { spawn } from 'node:child_process'
import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { canonicalJson } from '@ironlaw/contracts'
import { MOST_CHANGED_FILES, type RunCode } from '@ironlaw/contracts/run-origin'

export type FoundCode = { readonly code: RunCode } | { readonly unknown: string }

const LIMIT_MS = 20_000
/** Of the text that git prints: paths of a million files. */
const MOST_PRINTED = 256 << 20
/** Of an untracked file whose content counts; a larger one is data, and counts by its size. */
const MOST_DIGESTED = 64 << 20

const READ_AT_ONCE = 1 << 20

/** Neither hooks nor monitors of the repository run, and its index is not refreshed. */
const SAFE = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.quotePath=false']

export async function codeOf(directory: string): Promise<FoundCode> {
  try {
    const top = (await git(directory, ['rev-parse', '--show-toplevel'])).trim()
    const path = (await git(directory, ['rev-parse', '--show-prefix'])).trim().replace(/\/$/, '')
    const commit = (await git(directory, ['rev-parse', '--verify', 'HEAD^{commit}'])).trim()
    const status = await git(top, ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=none'])
    // Many repositories are fetched from nowhere.
    const remote = await git(top, ['remote', 'get-url', 'origin']).then(withoutCredentials, () => undefined)
    const changes = await changesIn(top, status)
    return {
      code: {
        commit,
        path,
        ...(remote !== undefined && { remote }),
        ...(changes && { changes }),
      },
    }
  } catch (cause) {
    return { unknown: reasonOf(cause) }
  }
}

/** The last words of git, or why it could not be asked. */
function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  if (/not a git repository/.test(message)) return 'it lies in no git repository'
  if (/Needed a single revision/.test(message)) return 'its repository has no commit'
  if (/ENOENT/.test(message)) return 'git is not installed'
  return (message.split('\n')[0] ?? '').slice(0, 200)
}

/** Within a hook of git these name another repository. */
const ownRepository = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|PREFIX)$/.test(name)),
  )

async function git(directory: string, words: readonly string[], input?: string): Promise<string> {
  const child = spawn('git', [...SAFE, ...words], {
    cwd: directory,
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...ownRepository(), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
  })
  const parts: Buffer[] = []
  const errors: Buffer[] = []
  let printed = 0
  child.stdout.on('data', (part: Buffer) => {
    printed += part.length
    if (printed > MOST_PRINTED) child.kill('SIGKILL')
    else parts.push(part)
  })
  child.stderr.on('data', (part: Buffer) => errors.push(part))
  // A git that ends early does not read all of it.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input ?? '')
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (status === 0) return Buffer.concat(parts).toString('utf8')
  throw new Error(status === null ? `git ${words[0]} took too long or printed too much` : Buffer.concat(errors).toString('utf8').trim())
}

/** What comes before an @ in an address may be a token, and so may what follows a question mark. */
export function withoutCredentials(address: string): string | undefined {
  const plain = address
    .trim()
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')
    .replace(/^[^/]*@/, '')
    .replace(/[?#].*$/s, '')
  return /^[^\p{Cc}\p{Cs}]{1,1024}$/u.test(plain) ? plain : undefined
}

type Changed = { readonly path: string; readonly tracked: boolean; readonly removed: boolean }

/** With -z each entry is two letters of state, a space, the path, a NUL. */
const changedIn = (status: string): readonly Changed[] =>
  status
    .split('\0')
    .filter((entry) => entry.length > 3)
    .map((entry) => ({ path: entry.slice(3), tracked: !entry.startsWith('??'), removed: entry[1] === 'D' || entry.startsWith('D ') }))

async function changesIn(top: string, status: string): Promise<RunCode['changes']> {
  const changed = changedIn(status).toSorted((a, b) => (a.path < b.path ? -1 : 1))
  if (changed.length === 0) return undefined
  const digests: [string, string][] = []
  for (const each of changed) digests.push([each.path, each.removed ? 'removed' : await contentDigest(join(top, each.path))])
  const shown = changed.filter(({ path }) => isLine(path)).slice(0, MOST_CHANGED_FILES)
  const blobs = await blobsOf(top, shown)
  return {
    digest: hash('sha256', canonicalJson(digests)),
    count: changed.length,
    files: shown.map(({ path }) => ({ path, ...(blobs.has(path) && { blob: blobs.get(path) ?? '' }) })),
  }
}

const isLine = (path: string): boolean => /^[^\p{Cc}\p{Cs}]{1,1024}$/u.test(path)

async function contentDigest(path: string): Promise<string> {
  const stats = await lstat(path)
  if (stats.isSymbolicLink()) return `link ${await readlink(path)}`
  // A submodule, whose own state git compares.
  if (!stats.isFile()) return 'directory'
  if (stats.size > MOST_DIGESTED) return `${stats.size} bytes`
  if (stats.size < READ_AT_ONCE) return hash('sha256', await readFile(path))
  const content = createHash('sha256')
  await pipeline(createReadStream(path), content)
  return content.digest('hex')
}

/** By the names that git itself gives, of tracked files only: what is untracked may be anything. */
async function blobsOf(top: string, changed: readonly Changed[]): Promise<ReadonlyMap<string, string>> {
  const files: string[] = []
  for (const { path, tracked, removed } of changed) if (tracked && !removed && (await lstat(join(top, path))).isFile()) files.push(path)
  if (files.length === 0) return new Map()
  const names = (await git(top, ['hash-object', '--no-filters', '--stdin-paths'], `${files.join('\n')}\n`)).trim().split('\n')
  return new Map(files.map((path, index) => [path, names[index] ?? '']))
}
