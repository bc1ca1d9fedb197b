// What making a dataset took, in the words of its plan: left by step, seconds by cause, memory and disk. It differs from run to run, so it is no part of the dataset.

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataRunFigures } from '@ironlaw/contracts/data-plan'
import { addSeconds, type Figures, type Seconds } from './figures.ts'
import type { Clustered } from './passes/cluster.ts'
import type { Examined } from './passes/examine.ts'
import type { Shuffled } from './passes/shuffle.ts'
import type { WrittenUnit } from './passes/write.ts'
import type { Pipeline } from './pipeline.ts'
import { isThere, readJson } from './work-directory.ts'

/** Left by a worker at its end. */
export type WorkerFigures = { readonly peak_bytes: number }

export type Measuring = {
  readonly figures: Figures
  readonly examined: readonly Examined[]
  readonly written: readonly WrittenUnit[]
  readonly shuffled: readonly Shuffled[]
  readonly clustered?: Clustered
  readonly workers: number
  readonly wall_s: number
  readonly disk_bytes: number
}

/** Workers wait for the last one of each pass. */
const WAIT = 'wait'

export async function measuredFigures(pipeline: Pipeline, measuring: Measuring): Promise<DataRunFigures> {
  const { figures, examined, written, shuffled, clustered, workers, wall_s } = measuring
  const match = await matchSeconds(pipeline)
  let seconds: Seconds = { cluster: match + (clustered?.seconds ?? 0) }
  for (const each of [...examined, ...written]) seconds = addSeconds(seconds, each.seconds)
  const shuffle = shuffled.reduce((sum, each) => sum + each.seconds, 0)
  const write = seconds['write'] ?? 0
  seconds = { ...seconds, write: write + shuffle }
  const worked = Object.values(seconds).reduce((sum, each) => sum + each, 0)
  const tokens = Object.values(figures.sources).reduce((sum, { out }) => sum + out.tokens, 0)
  const tokenized = pipeline.tokenize?.place
  const stored = pipeline.units.reduce((sum, { start, end }) => sum + end - start, 0)
  const readings = pipeline.duplicates ? 2 : 1
  const entries = examined.reduce((sum, { partitions }) => sum + (partitions.at(-1) ?? 0), 0)
  const work = [
    { step: 'read', bytes: readings * stored, time_s: seconds['read'] ?? 0 },
    ...figures.steps.map(({ step, into }) => ({ step, bytes: into.bytes, time_s: seconds[step] ?? 0 })),
    { step: 'match', bytes: entries, time_s: match },
    { step: 'write', bytes: written.reduce((sum, { part }) => sum + part.bytes, entries), time_s: write },
    { step: 'shuffle', bytes: written.reduce((sum, { part }) => sum + (part.segments ? part.bytes : 0), 0), time_s: shuffle },
  ]
  return {
    left: figures.steps.map(({ step, kept }, place) => ({ step, ...kept, ...(place === tokenized ? { tokens } : {}) })),
    duration_s: wall_s,
    causes_s: {
      ...Object.fromEntries(Object.entries(seconds).map(([cause, each]) => [cause, each / workers])),
      [WAIT]: Math.max(0, wall_s - worked / workers),
    },
    work: work.filter(({ bytes, time_s }) => bytes > 0 && time_s > 0),
    worker_bytes: await peakMemory(pipeline, workers),
    disk_bytes: measuring.disk_bytes,
  }
}

async function matchSeconds({ duplicates, files }: Pipeline): Promise<number> {
  let sum = 0
  for (let partition = 0; partition < (duplicates?.partitions ?? 0); partition += 1)
    sum += (await readJson<{ seconds: number }>(files.matched(partition))).seconds
  return sum
}

async function peakMemory({ files }: Pipeline, workers: number): Promise<number> {
  let peak = 0
  for (let rank = 0; rank < workers; rank += 1)
    if (await isThere(files.worker(rank))) peak = Math.max(peak, (await readJson<WorkerFigures>(files.worker(rank))).peak_bytes)
  return peak
}

/** Of all files below it. */
export async function diskBytes(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    entries.filter((each) => each.isFile()).map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
