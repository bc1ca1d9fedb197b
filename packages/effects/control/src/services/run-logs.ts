// Logs of ranks, shipped while they grow, as files: <directory>/<run>/<attempt>/<node>-<rank>.log. An offset comes with every part,
// so one that arrives twice, or after a gap, does no harm: bytes go to their place, and the answer says where the next begin.

import { constants, existsSync, readdirSync, statSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'

export type RunLogs = {
  readonly append: (to: LogFile, part: LogPart) => Promise<number>
  /** A rank's log from a byte on, cut between characters; a negative offset counts from the end. */
  readonly read: (from: Omit<LogFile, 'node'>, offset: number) => Promise<LogText>
}

type LogFile = { readonly run: string; readonly attempt: number; readonly node: number; readonly rank: number }

type LogText = { readonly text: string; readonly next: number }

type LogPart = { readonly offset: number; readonly bytes: Buffer }

const READ_BYTES = 1 << 20

/** So many runs' sizes are remembered; a size forgotten is counted again. */
const SIZES_KEPT = 10_000

export function runLogs(directory: string, limit_bytes: number): RunLogs {
  const sizes = new Map<string, number>()
  const folder = ({ run, attempt }: Pick<LogFile, 'run' | 'attempt'>): string => join(directory, run, String(attempt))

  async function append(to: LogFile, { offset, bytes }: LogPart): Promise<number> {
    const used = sizes.get(to.run) ?? sizeBelow(join(directory, to.run))
    if (sizes.size >= SIZES_KEPT) sizes.clear()
    await mkdir(folder(to), { recursive: true })
    const file = await open(join(folder(to), `${to.node}-${to.rank}.log`), constants.O_RDWR | constants.O_CREAT, 0o640)
    return closing(file, async () => {
      const { size } = await file.stat()
      const fresh = offset + bytes.length - size
      if (offset > size || fresh <= 0) return size
      if (used + fresh > limit_bytes) throw new IronlawError('IL_TOO_LARGE', { what: `the log of run ${to.run}`, limit_bytes })
      await file.write(bytes, size - offset, fresh, size)
      sizes.set(to.run, used + fresh)
      return size + fresh
    })
  }

  async function read(from: Omit<LogFile, 'node'>, offset: number): Promise<LogText> {
    const name = existsSync(folder(from)) ? readdirSync(folder(from)).find((each) => each.endsWith(`-${from.rank}.log`)) : undefined
    if (name === undefined) return { text: '', next: 0 }
    const file = await open(join(folder(from), name))
    return closing(file, async () => {
      const { size } = await file.stat()
      const start = offset < 0 ? Math.max(0, size + offset) : Math.min(offset, size)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(READ_BYTES, size - start)), { position: start })
      const whole = buffer.subarray(0, wholeCharacters(buffer.subarray(0, bytesRead)))
      return { text: whole.toString('utf8'), next: start + whole.length }
    })
  }

  return { append, read }
}

/** Bytes without a character whose end is still to come (RFC 3629: a lead byte says how many follow, at most three). */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

async function closing<T>(file: FileHandle, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await file.close()
  }
}

function sizeBelow(directory: string): number {
  if (!existsSync(directory)) return 0
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
}
