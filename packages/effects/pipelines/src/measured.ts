// What making a dataset took, in the words of its plan: left by step, seconds by cause, memory and disk. It differs from run to run, so it is no part of the dataset.

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataRunFigures } from '@ironlaw/contracts/data-plan'
import type { DataStep } from '@ironlaw/contracts/data-spec'
import { addSeconds, type Figures, type Seconds } from './figures.ts'
import type { Clustered } from './passes/cluster.ts'
import type { Examined } from './passes/examine.ts'
import type { Shuffled } from './passes/shuffle.ts'
import type { WrittenUnit } from './passes/write.ts'
import type { Pipeline } from './pipeline.ts'
import { repeatsFigures } from './repeats/run-repeats.ts'
import { isThere, readJson } from './work-directory.ts'
import { readWork, rereadWork, stepWork } from './work-names.ts'

/** Left by a worker at its end. */
export type WorkerFigures = { readonly peak_bytes: number; readonly machine: string }

export type Measuring = {
  readonly figures: Figures
  readonly examined: readonly Examined[]
  readonly written: readonly WrittenUnit[]
  readonly shuffled: readonly Shuffled[]
  readonly clustered?: Clustered
  readonly workers: number
  readonly wall_s: number
  /** Of the wall-clock time, what processes that were lost cost. */
  readonly recovery_s: number
  readonly disk_bytes: number
}

/** Workers wait for the last one of each pass. */
const WAIT = 'wait'
const RECOVERY = 'recovery'

export async function measuredFigures(pipeline: Pipeline, measuring: Measuring): Promise<DataRunFigures> {
  const { figures, workers, wall_s, recovery_s } = measuring
  const spent = await spentSeconds(pipeline, measuring)
  const { examining, repeating, writing, match, join: joining, shuffle } = spent
  const seconds = [repeating, writing, { write: shuffle, cluster: match + joining }].reduce(addSeconds, examining)
  const worked = Object.values(seconds).reduce((sum, each) => sum + each, 0)
  const tokens = Object.values(figures.sources).reduce((sum, { out }) => sum + out.tokens, 0)
  const tokenized = pipeline.tokenize?.place
  const { peak_bytes, machines } = await workerFigures(pipeline, workers)
  const [machine, ...others] = machines
  return {
    left: figures.steps.map(({ step, kept }, place) => ({ step, ...kept, ...(place === tokenized ? { tokens } : {}) })),
    duration_s: wall_s,
    causes_s: {
      ...Object.fromEntries(Object.entries(seconds).map(([cause, each]) => [cause, each / workers])),
      ...(recovery_s > 0 ? { [RECOVERY]: recovery_s } : {}),
      [WAIT]: Math.max(0, wall_s - recovery_s - worked / workers),
    },
    work: workOf(pipeline, measuring, spent).filter(({ bytes, time_s }) => bytes > 0 && time_s > 0),
    ...(machine !== undefined && others.length === 0 ? { machine } : {}),
    worker_bytes: peak_bytes,
    disk_bytes: measuring.disk_bytes,
  }
}

/** Of all workers together. */
type Spent = {
  readonly examining: Seconds
  /** To find text that the corpus repeats, and to cut it out. */
  readonly repeating: Seconds
  /** Of keys of repeated text. */
  readonly repeatKeys: { readonly bytes: number; readonly match_s: number }
  readonly writing: Seconds
  readonly match: number
  readonly join: number
  readonly shuffle: number
}

async function spentSeconds(pipeline: Pipeline, { examined, written, shuffled, clustered }: Measuring): Promise<Spent> {
  const sum = (parts: readonly { readonly seconds: Seconds }[]): Seconds =>
    parts.reduce<Seconds>((total, { seconds }) => addSeconds(total, seconds), {})
  const repeats = await repeatsFigures(pipeline)
  return {
    examining: sum(examined),
    repeating: addSeconds(sum(repeats.units), { cluster: repeats.match_s }),
    repeatKeys: { bytes: repeats.key_bytes, match_s: repeats.match_s },
    writing: sum(written),
    match: await matchSeconds(pipeline),
    join: clustered?.seconds ?? 0,
    shuffle: shuffled.reduce((total, { seconds }) => total + seconds, 0),
  }
}

/** Bytes are counted as plans count them. Joining is left out: its time goes with documents more than with the edges that it is planned by. */
function workOf(pipeline: Pipeline, { figures, examined, written }: Measuring, spent: Spent): DataRunFigures['work'] {
  const { units, duplicates, tokenize, spec } = pipeline
  const { examining, repeating, repeatKeys, writing, match, shuffle } = spent
  const seconds = [repeating, writing].reduce(addSeconds, examining)
  const stored = units.reduce((sum, { start, end }) => sum + end - start, 0)
  const keys = examined.reduce((sum, { partitions }) => sum + (partitions.at(-1) ?? 0), repeatKeys.bytes)
  const text = Object.values(figures.sources).reduce((sum, { out }) => sum + out.bytes, 0)
  const parts = written.reduce((sum, { part }) => sum + part.bytes, 0)
  const first = duplicates ? examining : writing
  const own = (does: string, bytes: number, time_s: number) => ({ step: does, does, bytes, time_s })
  return [
    { step: 'read', does: readWork(units), bytes: stored, time_s: first['read'] ?? 0 },
    ...(duplicates ? [{ step: 'read', does: rereadWork(units), bytes: stored, time_s: writing['read'] ?? 0 }] : []),
    ...figures.steps.map(({ step, into }, place) => ({
      step,
      does: stepWork(spec.steps[place] as DataStep),
      bytes: into.bytes,
      time_s: seconds[step] ?? 0,
    })),
    own('keys', keys, (examining['write'] ?? 0) + (repeating['write'] ?? 0)),
    own('match', keys, match + repeatKeys.match_s),
    own(tokenize ? 'write tokens' : 'write documents', tokenize ? parts : text, writing['write'] ?? 0),
    own('shuffle', tokenize ? parts : 0, shuffle),
  ]
}

async function matchSeconds({ duplicates, files }: Pipeline): Promise<number> {
  let sum = 0
  for (let partition = 0; partition < (duplicates?.partitions ?? 0); partition += 1)
    sum += (await readJson<{ seconds: number }>(files.matched(partition))).seconds
  return sum
}

async function workerFigures({ files }: Pipeline, workers: number): Promise<{ peak_bytes: number; machines: ReadonlySet<string> }> {
  let peak_bytes = 0
  const machines = new Set<string>()
  for (let rank = 0; rank < workers; rank += 1) {
    if (!(await isThere(files.worker(rank)))) continue
    const own = await readJson<WorkerFigures>(files.worker(rank))
    peak_bytes = Math.max(peak_bytes, own.peak_bytes)
    machines.add(own.machine)
  }
  return { peak_bytes, machines }
}

/** Of all files below it. */
export async function diskBytes(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    entries.filter((each) => each.isFile()).map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
