// Logs of ranks, shipped while they grow, as files: <directory>/<run>/<attempt>/<node>-<rank>.log. An offset comes with every part,
// so one that arrives twice, or after a gap, does no harm: bytes go to their place, and the answer says where the next begin.

import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import { type Redactor, showMasked } from '../secrets/redact.ts'
import { type FilePart, readPart } from '../storage/read-part.ts'

export type RunLogs = {
  readonly append: (to: LogFile, part: LogPart) => Promise<number>
  /** A rank's log from a byte on, cut between characters; a negative offset counts from the end. */
  readonly read: (from: Omit<LogFile, 'node'>, offset: number) => Promise<FilePart>
}

type LogFile = { readonly run: string; readonly attempt: number; readonly node: number; readonly rank: number }

/** `redactor` takes out what may not be kept, and holds back what it cannot tell yet: the sender sends that again. */
type LogPart = { readonly offset: number; readonly bytes: Buffer; readonly redactor?: Redactor }

const READ_BYTES = 1 << 20

/** For how many runs the use is remembered; a forgotten one is counted again. */
const RUNS_KEPT = 10_000

/** Three attempts of 32,768 ranks: an inode each, which a limit in bytes does not see. */
const FILES_PER_RUN = 100_000

export type LogLimits = { readonly bytes: number; readonly files?: number }

/** What the logs of a run take; appends wait for each other, so that the count is exact. */
type Use = { bytes: number; files: number }

export function runLogs(directory: string, { bytes: limit_bytes, files: limit_files = FILES_PER_RUN }: LogLimits): RunLogs {
  const uses = new Map<string, Promise<Use>>()
  const folder = ({ run, attempt }: Pick<LogFile, 'run' | 'attempt'>): string => join(directory, run, String(attempt))

  function append(to: LogFile, part: LogPart): Promise<number> {
    const before = uses.get(to.run) ?? useBelow(join(directory, to.run))
    const stored = before.then((use) => store(to, part, use))
    // The next append starts with the use that this one leaves, also when this one fails.
    const after = stored.then(
      () => before,
      () => before,
    )
    uses.delete(to.run)
    uses.set(to.run, after)
    const [oldest] = uses.keys()
    if (uses.size > RUNS_KEPT && oldest !== undefined) uses.delete(oldest)
    // A count that failed (storage away) is not kept.
    void before.catch(() => uses.delete(to.run))
    // The caller has the error of its own part.
    void after.catch(() => undefined)
    return stored
  }

  async function store(to: LogFile, { offset, bytes, redactor }: LogPart, use: Use): Promise<number> {
    const path = join(folder(to), `${to.node}-${to.rank}.log`)
    const known = await sizeOf(path)
    if (known === undefined && use.files >= limit_files)
      throw new IronlawError('IL_LIMIT', { what: `log files of run ${to.run}`, limit: limit_files, next: 'print from fewer ranks' })
    const size = known ?? 0
    if (offset > size || offset + bytes.length <= size) return size
    const fresh = bytes.subarray(size - offset)
    const kept = redactor?.mask(fresh) ?? { bytes: fresh, settled: fresh.length }
    if (kept.settled === 0) return size
    if (use.bytes + kept.settled > limit_bytes) throw new IronlawError('IL_TOO_LARGE', { what: `the log of run ${to.run}`, limit_bytes })
    await mkdir(folder(to), { recursive: true })
    const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o640)
    if (known === undefined) use.files += 1
    return closeAfter(file, async () => {
      const { bytesWritten } = await file.write(kept.bytes, 0, kept.settled, size)
      use.bytes += bytesWritten
      return size + bytesWritten
    })
  }

  async function read(from: Omit<LogFile, 'node'>, offset: number): Promise<FilePart> {
    const name = (await entriesOf(folder(from))).find((each) => each.endsWith(`-${from.rank}.log`))
    if (name === undefined) return { text: '', next: 0 }
    const file = await open(join(folder(from), name))
    const { text, next } = await closeAfter(file, () => readPart(file, { offset, limit_bytes: READ_BYTES }))
    return { text: showMasked(text), next }
  }

  return { append, read }
}

async function closeAfter<T>(file: FileHandle, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await file.close()
  }
}

/** Undefined where there is no such file. */
async function sizeOf(path: string): Promise<number | undefined> {
  // A log that cannot be looked at is one without lines.
  const found = await stat(path).catch(() => undefined)
  return found?.size
}

/** None where there is no such directory: nothing was logged yet. */
const entriesOf = (directory: string): Promise<readonly string[]> => readdir(directory).catch(() => [])

/** A few at a time: a large directory is counted concurrently with other work, not before it. */
const STATS_AT_ONCE = 32

async function useBelow(directory: string): Promise<Use> {
  // Nothing was logged yet.
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  const use: Use = { bytes: 0, files: files.length }
  for (let from = 0; from < files.length; from += STATS_AT_ONCE) {
    const sizes = await Promise.all(files.slice(from, from + STATS_AT_ONCE).map(({ parentPath, name }) => sizeOf(join(parentPath, name))))
    use.bytes += sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
  }
  return use
}
