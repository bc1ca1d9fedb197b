// When work on a dataset was begun, and begun again after its processes were lost. The time between what was done last and the next beginning is recovery:
// it says nothing of how fast the steps are.

import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pipeline } from './pipeline.ts'
import { shardCount } from './worker.ts'

const folderOf = (directory: string): string => join(directory, 'begun')

/** @param at_ms since 1970 */
export async function markBegin(directory: string, at_ms: number): Promise<void> {
  await mkdir(folderOf(directory), { recursive: true })
  await writeFile(join(folderOf(directory), String(Math.round(at_ms))), '')
}

/** In milliseconds since 1970, ascending. */
export const beginnings = async (directory: string): Promise<readonly number[]> =>
  (await readdir(folderOf(directory))).map(Number).toSorted((a, b) => a - b)

/** What workers had under way when they were lost counts from the last task that any of them had finished. */
export function recoverySeconds(begun_ms: readonly number[], done_ms: readonly number[]): number {
  return begun_ms.slice(1).reduce((sum, at, before) => {
    const last = done_ms.reduce((most, done) => (done <= at ? Math.max(most, done) : most), begun_ms[before] as number)
    return sum + (at - last) / 1000
  }, 0)
}

/** When each task was done, by the file that shows it. */
export async function doneTimes(pipeline: Pipeline): Promise<readonly number[]> {
  const { units, files, duplicates, tokenize } = pipeline
  const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number)
  const done = [
    ...(duplicates ? [...units.map(({ number }) => files.examined(number)), files.clustered] : []),
    ...numbers(duplicates?.partitions ?? 0).map(files.edges),
    ...(duplicates?.substrings ? units.flatMap(({ number }) => [files.represented(number), files.windowed(number)]) : []),
    ...units.map(({ number }) => files.written(number)),
    ...(tokenize ? numbers(await shardCount(pipeline)).map(files.shuffled) : []),
  ]
  return await Promise.all(done.map(async (file) => (await stat(file)).mtimeMs))
}
