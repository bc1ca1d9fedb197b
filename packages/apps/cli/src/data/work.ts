// `ironlaw data work`: one process of a run that makes a dataset. Processes meet only in a directory of the run. So a run that lost processes
// or nodes goes on where it was, and one that is done stays done.

import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openArtifacts, openStorage } from '@ironlaw/artifacts'
import { IronlawError, systemError } from '@ironlaw/contracts'
import { DATA_RUN_STEPS } from '@ironlaw/contracts/data-plan'
import { dataSpecDigest, parseDataSpec } from '@ironlaw/contracts/data-spec'
import { EXIT_STATUS } from '@ironlaw/contracts/report'
import { checkResources, finish, type Finished, markBegin, type Pipeline, preparePipeline, progressOf, runWorker } from '@ironlaw/pipelines'
import { readDocument } from '../input-file.ts'
import { isFinal, reasonText } from './final-failure.ts'
import { isAbsent, readJsonFile, writeJsonFile, writeNewJsonFile } from './json-file.ts'
import { registerDataset } from './register-dataset.ts'
import { type Rank, rankFromEnvironment } from './rank.ts'
import { restoreSources } from './restore-sources.ts'
import { stepLine } from './data-run.ts'

export type WorkFlags = { readonly work?: string; readonly to?: string }

type Place = { readonly work: string; readonly to: string }

/** The last line of a process is the reason of its end; what no attempt can do better ends the run as well. */
export async function workOnDataset(file: string, flags: WorkFlags): Promise<void> {
  const rank = rankFromEnvironment(process.env)
  try {
    await makeDataset(file, flags, rank)
  } catch (cause) {
    const known = cause instanceof IronlawError ? cause : systemError(cause)
    if (!known) throw cause
    process.stderr.write(`${reasonText(known)}\n`)
    const own = [rank.directory, ...(flags.work === undefined ? [] : [resolve(flags.work)])]
    process.exitCode = isFinal(known, own) ? EXIT_STATUS.final : known.exit
  }
}

async function makeDataset(file: string, flags: WorkFlags, rank: Rank): Promise<void> {
  const written = parseDataSpec(readDocument(file), file)
  const root = join(rank.directory, 'data')
  const place = { work: resolve(flags.work ?? join(root, 'work')), to: resolve(flags.to ?? join(root, written.name)) }
  if (!(await isAbsent(doneFile(place)))) return say('the dataset is registered already')
  await mkdir(place.work, { recursive: true })
  if (rank.rank === 0) await markBegin(place.work, performance.timeOrigin)
  const artifacts = await openArtifacts(openStorage(rank.storage))
  const restored = join(place.work, 'sources')
  const spec = await restoreSources(written, { artifacts, rank, to: restored })
  const { pipeline, id } = await preparePipeline({ spec: spec.files, directory: process.cwd(), restored, work: place.work })
  const directory = join(place.work, id)
  if (rank.rank === 0) await checkResources(pipeline)
  say(`worker ${rank.rank} of ${rank.world}: ${pipeline.units.length} units of work`)
  const stop = rank.rank === 0 ? await reportProgress(pipeline, directory) : undefined
  try {
    await runWorker(pipeline, rank)
  } finally {
    stop?.()
  }
  if (rank.rank > 0) return say('nothing is left to do')
  await workersHaveEnded(pipeline, rank.world)
  const finished = await finishOnce(pipeline, { rank, directory, work: place.work, to: place.to })
  await registerDataset({ finished, digest: dataSpecDigest(spec.pinned), name: spec.pinned.name, to: place.to, artifacts, rank })
  await writeJsonFile(doneFile(place), {})
  // The storage of artifacts has it now.
  for (const each of [place.to, `${place.to}.set-aside.jsonl`, place.work]) await rm(each, { recursive: true, force: true })
  say(stepLine(DATA_RUN_STEPS, 'registered'))
}

const doneFile = ({ to }: Place): string => `${to}.done.json`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const PROGRESS_MS = 1000

/** What an earlier attempt did is not reported again: the ledger would take it for lost. The last step is the registration. */
async function reportProgress(pipeline: Pipeline, directory: string): Promise<() => void> {
  const look = progressOf(pipeline, directory)
  const stepOf = (share: number): number => Math.min(DATA_RUN_STEPS - 1, Math.floor(DATA_RUN_STEPS * share))
  let last = stepOf((await look()).share)
  const report = async (): Promise<void> => {
    const { pass, done, of, share } = await look()
    const step = stepOf(share)
    if (step <= last) return
    last = step
    say(stepLine(step, `${pass}, ${done} of ${of} tasks done`))
  }
  const timer = setInterval(() => void report(), PROGRESS_MS)
  return () => clearInterval(timer)
}

type Finishing = { readonly rank: Rank; readonly directory: string; readonly work: string; readonly to: string }

/** Measured once: a run that is started again between here and its end registers the same. */
async function finishOnce(pipeline: Pipeline, { rank, directory, work, to }: Finishing): Promise<Finished> {
  const file = join(directory, 'measured.json')
  const workers = Math.min(rank.world, Math.max(1, pipeline.units.length))
  const finished = await finish(pipeline, { to, work: directory, workers, begun: work })
  await writeNewJsonFile(file, finished.measured)
  return { ...finished, measured: await readJsonFile<Finished['measured']>(file) }
}

const ENDED_WITHIN_MS = 10_000
const POLL_MS = 50

/** The others are done when rank 0 is; one that does not say so soon was killed, and what memory it took is not known. */
async function workersHaveEnded({ files }: Pipeline, world: number): Promise<void> {
  const until = performance.now() + ENDED_WITHIN_MS
  const ranks = Array.from({ length: world }, (_, rank) => files.worker(rank))
  const isMissing = async (): Promise<boolean> => (await Promise.all(ranks.map(isAbsent))).includes(true)
  while (performance.now() < until && (await isMissing())) await delay(POLL_MS)
}
