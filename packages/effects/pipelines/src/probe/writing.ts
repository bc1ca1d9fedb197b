// How fast files become durable where a pipeline keeps its work: what a small one costs, and what its bytes add.

import { mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DataProbe } from '@ironlaw/contracts/data-probe'
import { isThere, writeContent } from '../work-directory.ts'

const SMALL_FILES = 9
const LARGE_BYTES = 16e6

export type Writing = Pick<DataProbe['machine'], 'write_file_s' | 'write_bytes_per_s'>

/** Nothing where nothing may be written. */
export async function measureWriting(work: string): Promise<Writing> {
  // Why not is for the build to say, which cannot do without.
  const directory = await mkdtemp(join(await nearestDirectory(work), '.ironlaw-probe-')).catch(() => undefined)
  if (directory === undefined) return {}
  try {
    const timed = async (content: Uint8Array): Promise<number> => {
      const from = performance.now()
      await writeContent(join(directory, 'file'), content)
      return (performance.now() - from) / 1000
    }
    const small: number[] = []
    for (let file = 0; file < SMALL_FILES; file += 1) small.push(await timed(Uint8Array.of(file)))
    const write_file_s = small.toSorted((a, b) => a - b)[Math.floor(SMALL_FILES / 2)] as number
    const large_s = await timed(new Uint8Array(LARGE_BYTES).fill(1))
    return { write_file_s, write_bytes_per_s: LARGE_BYTES / Math.max(large_s - write_file_s, large_s / 2) }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** It, or the one above it that is there already. */
const nearestDirectory = async (path: string): Promise<string> =>
  (await isThere(path)) || dirname(path) === path ? path : await nearestDirectory(dirname(path))
