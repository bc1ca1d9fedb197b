// What workers share: a directory. A task is done when its last file is there, and that file appears by renaming. So a worker may be killed at any moment, any
// number of them may start at any time, and two that do the same task at once write the same bytes twice.

import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { IronlawError, systemError } from '@ironlaw/contracts'

/** A file that appears under its name only when it is committed: until then nobody sees a part of it. */
export type WholeFile = {
  readonly write: (content: Uint8Array | string) => Promise<void>
  readonly commit: () => Promise<void>
  /** Does nothing once it is committed. */
  readonly abandon: () => Promise<void>
}

export async function createWhole(path: string): Promise<WholeFile> {
  const temporary = `${path}.${randomUUID()}.tmp`
  let file: FileHandle | undefined
  const abandon = async (): Promise<void> => {
    if (!file) return
    // What failed before is what matters.
    await file.close().catch(() => undefined)
    file = undefined
    await rm(temporary, { force: true })
  }
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (cause) {
      await abandon()
      throw fileError(cause, path)
    }
  }
  await guarded(async () => {
    await mkdir(dirname(path), { recursive: true })
    file = await open(temporary, 'wx')
  })
  return {
    write: async (content) => await guarded(async () => await file?.writeFile(content)),
    commit: async () =>
      await guarded(async () => {
        await file?.datasync()
        await file?.close()
        file = undefined
        await rename(temporary, path)
      }),
    abandon,
  }
}

/** Failures of a write name no path by themselves. */
const fileError = (cause: unknown, path: string): unknown =>
  systemError(cause instanceof Error && !('path' in cause) ? Object.assign(cause, { path }) : cause) ?? cause

export async function writeContent(path: string, ...contents: readonly (Uint8Array | string)[]): Promise<void> {
  const file = await createWhole(path)
  for (const content of contents) await file.write(content)
  await file.commit()
}

export const writeJson = async (path: string, value: unknown): Promise<void> => await writeContent(path, JSON.stringify(value))

const BEGIN_AGAIN = 'check the disk; without that directory everything is made anew'

/** So many bytes from `start` on. */
export async function readPart(path: string, start: number, length: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  const file = await open(path, 'r')
  try {
    for (let read = 0; read < length;) {
      const { bytesRead } = await file.read(bytes, read, length - read, start + read)
      if (bytesRead === 0) throw new IronlawError('IL_PIPELINE', { problem: `${path} ends after ${start + read} bytes`, next: BEGIN_AGAIN })
      read += bytesRead
    }
  } finally {
    await file.close()
  }
  return bytes.buffer
}

export const readJson = async <Value>(path: string): Promise<Value> => JSON.parse(await readFile(path, 'utf8'))

export const isThere = async (path: string): Promise<boolean> =>
  await stat(path).then(
    () => true,
    // Whatever keeps it from being seen, it is not there for us.
    () => false,
  )

export type Task = {
  /** The file that shows that it is done. */
  readonly done: string
  readonly run: () => Promise<void>
}

export type Turn = {
  /** Which worker this is, of how many: where it begins, so that they seldom meet. */
  readonly rank: number
  readonly world: number
  /** Throws when the whole pipeline has stopped. */
  readonly check: () => Promise<void>
}

const CLAIM_S = 20
const POLL_MS = 50

/** Runs what is not done until everything is, whoever does it. Tasks of workers that died are taken over. */
export async function runTasks(tasks: readonly Task[], { rank, world, check }: Turn): Promise<void> {
  const begin = Math.floor((tasks.length * rank) / Math.max(1, world))
  let open = [...tasks.slice(begin), ...tasks.slice(0, begin)]
  while (open.length > 0) {
    const left: Task[] = []
    let hasRun = false
    for (const task of open) {
      if (await isThere(task.done)) continue
      await check()
      const claim = await takeClaim(`${task.done}.claim`)
      if (!claim) left.push(task)
      else {
        hasRun = true
        try {
          if (!(await isThere(task.done))) await task.run()
        } finally {
          await claim.release()
        }
      }
    }
    open = left
    if (!hasRun && open.length > 0) await delay(POLL_MS)
  }
}

type Claim = { readonly release: () => Promise<void> }

/** Only spares work that another does already: correctness never depends on it. */
async function takeClaim(path: string): Promise<Claim | undefined> {
  await mkdir(dirname(path), { recursive: true })
  const mine = `${hostname()} ${process.pid}`
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      await writeFile(path, mine, { flag: 'wx' })
      // A beat that fails lets others take over, which costs work and nothing else.
      const beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), (CLAIM_S * 1000) / 4)
      beat.unref()
      return {
        release: async () => {
          clearInterval(beat)
          await rm(path, { force: true })
        },
      }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') {
        // A full disk leaves it empty, and others would wait for nobody.
        await rm(path, { force: true })
        throw fileError(cause, path)
      }
      if (await isHeld(path)) return undefined
      await rm(path, { force: true })
    }
  }
  return undefined
}

async function isHeld(path: string): Promise<boolean> {
  try {
    const [{ mtimeMs }, holder] = await Promise.all([stat(path), readFile(path, 'utf8')])
    const [host, pid] = holder.split(' ')
    if (host === hostname() && pid !== undefined && !isAlive(Number(pid))) return false
    return Date.now() - mtimeMs < CLAIM_S * 1000
  } catch {
    // Released meanwhile.
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Names of what passes leave behind. */
export const workFiles = (work: string) => {
  const unit = (pass: string, number: number, suffix: string): string => join(work, pass, `${String(number).padStart(6, '0')}.${suffix}`)
  return {
    pipeline: join(work, 'pipeline.json'),
    stopped: join(work, 'stopped.json'),
    worker: (rank: number) => unit('workers', rank, 'json'),
    verdicts: (number: number) => unit('examine', number, 'verdicts'),
    keys: (number: number) => unit('examine', number, 'keys'),
    orders: (number: number) => unit('examine', number, 'orders'),
    examined: (number: number) => unit('examine', number, 'json'),
    matched: (partition: number) => unit('cluster', partition, 'json'),
    edges: (partition: number) => unit('cluster', partition, 'edges'),
    duplicates: (number: number) => unit('duplicates', number, 'bin'),
    clustered: join(work, 'duplicates', 'clustered.json'),
    representatives: (number: number) => unit('represent', number, 'keys'),
    represented: (number: number) => unit('represent', number, 'json'),
    siftTook: (partition: number) => unit('sift', partition, 'json'),
    sifted: (partition: number) => unit('sift', partition, 'numbers'),
    runs: (number: number) => unit('window', number, 'runs'),
    windows: (number: number) => unit('window', number, 'keys'),
    windowed: (number: number) => unit('window', number, 'json'),
    findTook: (partition: number) => unit('find', partition, 'json'),
    found: (partition: number) => unit('find', partition, 'numbers'),
    part: (number: number) => unit('write', number, 'part'),
    aside: (number: number) => unit('write', number, 'aside'),
    written: (number: number) => unit('write', number, 'json'),
    shard: (number: number, suffix: string) => unit('shuffle', number, suffix),
    shuffled: (number: number) => unit('shuffle', number, 'json'),
  }
}

export type WorkFiles = ReturnType<typeof workFiles>
