// The console's site, built when it is missing or older than its sources: into a folder of its own that is renamed when it is whole. The
// control plane does not wait for it, and works without it.

import { spawn } from 'node:child_process'
import { hash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export type ConsoleSite = {
  /** Where the built site is, or will be. */
  readonly folder: string
  readonly isBuilding: () => boolean
  /** Resolves when it is built, or cannot be. */
  readonly done: Promise<void>
}

type BuildOptions = {
  /** The package with the sources, its site in `dist`. */
  readonly source: string
  /** Takes one line for a person. */
  readonly tell: (line: string) => void
  readonly signal?: AbortSignal
}

/** Written into a built site: what it was built from. */
const STAMP = 'built-from.txt'
const DRAFT = 'dist-building-'

/** It takes a second or two, on a machine that is busy with other things minutes. */
const BUILD_WITHIN_MS = 600_000

/** An older draft was abandoned by its process. */
const DRAFT_OLD_MS = 3_600_000

export function keepConsoleBuilt({ source, tell, signal }: BuildOptions): ConsoleSite {
  const folder = join(source, 'dist')
  let isBuilding = true
  const done = buildConsole(source, { folder, tell, ...(signal && { signal }) })
    .catch((cause: unknown) => {
      if (signal?.aborted) return
      const reason = cause instanceof Error ? cause.message : String(cause)
      tell(`warning: the console was not built: ${reason}; everything else works ("npm run console:build" shows more)`)
    })
    .finally(() => (isBuilding = false))
  return { folder, isBuilding: () => isBuilding, done }
}

async function buildConsole(
  source: string,
  { folder, tell, signal }: Omit<BuildOptions, 'source'> & { readonly folder: string },
): Promise<void> {
  const stamp = await stampOf(source)
  const isSite = existsSync(join(folder, 'index.html'))
  // Without sources or the tool that builds them, what is there is what there is.
  const builder = builderOf(source)
  if (stamp === undefined || builder === undefined) {
    if (!isSite) throw new Error('its sources or Vite are not installed here')
    return
  }
  if (isSite && (await stampIn(folder)) === stamp) return
  tell('building the console, which its address then shows; it takes some seconds, once after each update')
  await removeOldDrafts(source)
  const began = performance.now()
  const draft = join(source, `${DRAFT}${randomUUID()}`)
  try {
    await run([builder, 'build', source, '--outDir', draft, '--emptyOutDir', '--logLevel', 'error'], signal)
    await writeFile(join(draft, STAMP), `${stamp}\n`)
    await putInPlace(draft, folder)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  tell(`the console is built, in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

/** Another process may do the same at the same time: the last one wins, and each result is complete. */
async function putInPlace(draft: string, folder: string): Promise<void> {
  const before = join(dirname(folder), `${DRAFT}${randomUUID()}`)
  for (let tries = 0; ; tries += 1) {
    await rename(folder, before).catch(ignoreAbsent)
    const blocked = await rename(draft, folder).then(
      () => undefined,
      (cause: unknown) => cause,
    )
    await rm(before, { recursive: true, force: true })
    if (blocked === undefined) return
    if (tries >= 10 || !isCode(blocked, 'ENOTEMPTY', 'EEXIST')) throw blocked
  }
}

const isCode = (cause: unknown, ...codes: readonly string[]): boolean =>
  cause instanceof Error && 'code' in cause && codes.includes(String(cause.code))

function ignoreAbsent(cause: unknown): void {
  if (!isCode(cause, 'ENOENT')) throw cause
}

const stampIn = (folder: string): Promise<string> =>
  // Without a stamp that can be read the site is built again.
  readFile(join(folder, STAMP), 'utf8').then(
    (text) => text.trim(),
    () => '',
  )

/** Names, sizes and times of everything that goes into the site; undefined without sources. */
async function stampOf(source: string): Promise<string | undefined> {
  if (!existsSync(join(source, 'src'))) return undefined
  const packages = join(source, '../../pure')
  const pure = existsSync(packages) ? (await readdir(packages)).map((name) => join(packages, name, 'src')) : []
  const folders = [join(source, 'src'), ...pure].filter((folder) => existsSync(folder))
  const inside = await Promise.all(
    folders.map(async (folder) => (await readdir(folder, { recursive: true })).map((name) => join(folder, name))),
  )
  const files = [...inside.flat(), ...['index.html', 'vite.config.ts', 'package.json'].map((name) => join(source, name))]
  const lines = await Promise.all(
    files
      .filter((file) => !/\.test\.tsx?$/.test(file))
      .toSorted()
      .map(async (file) => {
        // Removed since it was listed.
        const found = await stat(file).catch(() => undefined)
        return found?.isFile() ? `${file} ${found.size} ${found.mtimeMs}` : ''
      }),
  )
  return hash('sha256', lines.join('\n'))
}

function builderOf(source: string): string | undefined {
  try {
    const program = join(dirname(createRequire(join(source, 'package.json')).resolve('vite/package.json')), 'bin/vite.js')
    return existsSync(program) ? program : undefined
  } catch {
    // Vite is a development dependency: an installation without it has a site that was built.
    return undefined
  }
}

async function removeOldDrafts(source: string): Promise<void> {
  for (const name of await readdir(source)) {
    if (!name.startsWith(DRAFT)) continue
    // Another process removed it.
    const found = await stat(join(source, name)).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > DRAFT_OLD_MS) await rm(join(source, name), { recursive: true, force: true })
  }
}

/** Rejects with the first line of what it says. */
function run(argv: readonly string[], signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'], timeout: BUILD_WITHIN_MS, ...(signal && { signal }) })
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said = `${said}${String(text)}`.slice(0, 10_000)))
  child.once('error', reject)
  child.once('close', (code, killedBy) => {
    if (code === 0) return resolve()
    const line = said.split('\n').find((each) => each.trim() !== '')
    reject(new Error(line?.trim() ?? `the build ended with ${killedBy ?? code}`))
  })
  return promise
}
