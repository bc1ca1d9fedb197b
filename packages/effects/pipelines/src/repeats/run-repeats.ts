// Finds text that the corpus repeats, after whole documents were deduplicated:
//
//   represent   each unit: a key for each representative of its windows
//   sift        each partition of these keys: which occur twice
//   window      each unit: a key for each window whose representative occurs twice
//   find        each partition of these keys: which windows are there before
//
// The write pass cuts what was found. Texts are never compared across units, so no worker needs more than a unit and a partition at once.

import { type Pipeline, substringsOf } from '../pipeline.ts'
import { readJson, runTasks, type Turn } from '../work-directory.ts'
import { type Found, findRepeated, type Keyed } from './partition-passes.ts'
import { noteRepresentatives, noteWindows, windowPartitions } from './unit-passes.ts'

export async function runRepeats(pipeline: Pipeline, turn: Turn): Promise<void> {
  const { units, files } = pipeline
  const { partitions } = substringsOf(pipeline)
  await runTasks(
    units.map((unit) => ({ done: files.represented(unit.number), run: async () => await noteRepresentatives(pipeline, unit) })),
    turn,
  )
  const represented = await readKeyed(pipeline, files.represented)
  const sift = { keyed: represented, keys: files.representatives, found: files.sifted, took: files.siftTook, hasFirst: true }
  await runTasks(
    numbersTo(partitions).map((partition) => ({
      done: files.sifted(partition),
      run: async () => await findRepeated(pipeline, { ...sift, partition }),
    })),
    turn,
  )
  const windows = await partitionsOfWindows(pipeline)
  await runTasks(
    units.map((unit) => ({ done: files.windowed(unit.number), run: async () => await noteWindows(pipeline, unit, windows) })),
    turn,
  )
  const windowed = await readKeyed(pipeline, files.windowed)
  const find = { keyed: windowed, keys: files.windows, found: files.found, took: files.findTook, hasFirst: false }
  await runTasks(
    numbersTo(windows).map((partition) => ({
      done: files.found(partition),
      run: async () => await findRepeated(pipeline, { ...find, partition }),
    })),
    turn,
  )
}

const numbersTo = (end: number): readonly number[] => Array.from({ length: end }, (_, number) => number)

const readKeyed = async ({ units }: Pipeline, path: (unit: number) => string): Promise<Keyed[]> =>
  await Promise.all(units.map(async ({ number }) => await readJson<Keyed>(path(number))))

const readFound = async (path: (partition: number) => string, partitions: number): Promise<Found[]> =>
  await Promise.all(numbersTo(partitions).map(async (partition) => await readJson<Found>(path(partition))))

/** Known once representatives are sifted, and the same to every worker. */
export async function partitionsOfWindows(pipeline: Pipeline): Promise<number> {
  const { partitions, words } = substringsOf(pipeline)
  const sifted = await readFound(pipeline.files.siftTook, partitions)
  return windowPartitions(
    sifted.reduce((sum, { found }) => sum + found, 0),
    words,
  )
}

/** What the passes took. */
export type RepeatsFigures = {
  readonly units: readonly Keyed[]
  readonly match_s: number
  readonly key_bytes: number
}

const NO_FIGURES: RepeatsFigures = { units: [], match_s: 0, key_bytes: 0 }

export async function repeatsFigures(pipeline: Pipeline): Promise<RepeatsFigures> {
  const { duplicates, files } = pipeline
  if (!duplicates?.substrings) return NO_FIGURES
  const windows = await partitionsOfWindows(pipeline)
  const units = [...(await readKeyed(pipeline, files.represented)), ...(await readKeyed(pipeline, files.windowed))]
  const found = [...(await readFound(files.siftTook, duplicates.substrings.partitions)), ...(await readFound(files.findTook, windows))]
  return {
    units,
    match_s: found.reduce((sum, { seconds }) => sum + seconds, 0),
    key_bytes: units.reduce((sum, { partitions }) => sum + (partitions.at(-1) ?? 0), 0),
  }
}
