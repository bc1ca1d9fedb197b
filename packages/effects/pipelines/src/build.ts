// A dataset from a spec: units are found, workers are started, and what they made is put together.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { canonicalJson, IronlawError, type Json, sha256 } from '@ironlaw/contracts'
import type { DataSpec } from '@ironlaw/contracts/data-spec'
import { markBegin } from './attempts.ts'
import { finish, type Finished } from './finish.ts'
import { checkResources, createPipeline, type Pipeline } from './pipeline.ts'
import { type BuildProgress, progressOf } from './progress.ts'
import { findUnits } from './read/units.ts'
import { stopError, type Stopped } from './stop.ts'
import type { Unit } from './unit.ts'
import { isThere, readJson, writeJson } from './work-directory.ts'
import { runWorker } from './worker.ts'

export type BuildRequest = {
  readonly spec: DataSpec
  /** Directory of the spec, which its paths start from. */
  readonly directory: string
  /** Where the files of artifacts were restored to, each artifact in a directory of its own. */
  readonly restored?: string
  /** Where workers keep what they have done: begun again with the same spec and files, they go on from there. */
  readonly work: string
  readonly to: string
  readonly workers?: number
  readonly onProgress?: (progress: BuildProgress) => void
}

/** Of the files of the work directory: another layout does not read them. */
const LAYOUT = 1

export type Prepared = { readonly pipeline: Pipeline; readonly id: string }

/** What every worker derives alike. Files that changed have other units, and so a directory of their own. */
export async function preparePipeline(request: Pick<BuildRequest, 'spec' | 'directory' | 'restored' | 'work'>): Promise<Prepared> {
  const { work, ...input } = request
  const { spec, directory } = input
  const units = await findUnits(spec, directory)
  const { workers: _, ...identity } = spec
  const files = await Promise.all([...new Set(units.map(({ file }) => file))].map(stateOf))
  const tokenizers = spec.steps.flatMap(({ tokenize }) => (tokenize ? [resolve(directory, tokenize.tokenizer)] : []))
  // Whoever loads one that is not there says so.
  const tokenizer = await Promise.all(tokenizers.map(async (path) => ((await isThere(path)) ? await stateOf(path) : path)))
  const id = sha256(canonicalJson({ layout: LAYOUT, spec: identity, units, files, tokenizer })).slice(0, 16)
  return { pipeline: createPipeline({ ...input, units, work: join(work, id) }), id }
}

/** Cheaper than a digest, and it shows that a file was written again. */
async function stateOf(path: string): Promise<Json> {
  const { size, mtimeMs } = await stat(path)
  return { path, size, mtimeMs }
}

export async function build(request: BuildRequest): Promise<Finished & { readonly units: readonly Unit[] }> {
  const from = Date.now()
  const { pipeline, id } = await preparePipeline(request)
  const { files, units } = pipeline
  const directory = join(request.work, id)
  await checkResources(pipeline)
  await mkdir(directory, { recursive: true })
  await markBegin(directory, from)
  await rm(files.stopped, { force: true })
  await writeJson(files.pipeline, { spec: request.spec, directory: request.directory })
  const workers = Math.min(request.workers ?? request.spec.workers ?? availableParallelism(), Math.max(1, units.length))
  const watch = request.onProgress && watchProgress(pipeline, directory, request.onProgress)
  try {
    if (workers === 1) await runWorker(pipeline, { rank: 0, world: 1 })
    else await runWorkers(pipeline, request.work, workers)
  } finally {
    watch?.()
  }
  const finished = await finish(pipeline, { to: request.to, work: directory, workers, begun: directory })
  await rm(directory, { recursive: true, force: true })
  return { ...finished, units }
}

/** A worker that failed says why before it ends. */
export type WorkerFailure = { readonly problem: string; readonly next: string }

const GO_ON = 'what is done is kept: run the same command again, and it goes on from there'

async function runWorkers({ files }: Pipeline, work: string, world: number): Promise<void> {
  const ends = Array.from({ length: world }, async (_, rank) => {
    const child = fork(new URL('work-main.ts', import.meta.url), [files.pipeline, work, String(rank), String(world)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    let tail = ''
    let failure: WorkerFailure | undefined
    child.stderr?.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString()).slice(-2000)))
    child.on('message', (message) => (failure = message as WorkerFailure))
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    if (code === 0) return undefined
    return failure ?? { problem: `a worker ended with ${signal ?? `status ${code}: ${tail.trim()}`}`, next: GO_ON }
  })
  const failures = await Promise.all(ends)
  if (await isThere(files.stopped)) throw stopError(await readJson<Stopped>(files.stopped))
  // Where another has done its share too, nothing is missing.
  const failure = failures.every((each) => each !== undefined) ? failures[0] : undefined
  if (failure) throw new IronlawError('IL_PIPELINE', failure)
}

const PROGRESS_MS = 500

function watchProgress(pipeline: Pipeline, directory: string, report: (progress: BuildProgress) => void): () => void {
  const look = progressOf(pipeline, directory)
  const timer = setInterval(() => void look().then(report), PROGRESS_MS)
  timer.unref()
  return () => clearInterval(timer)
}
