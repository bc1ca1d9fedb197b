// One worker: does what is left of each pass together with the others, until the dataset is there.

import { IronlawError } from '@ironlaw/contracts'
import { diskFullError } from './disk-full.ts'
import { sumFigures, type Figures } from './figures.ts'
import { machineName } from './machine.ts'
import type { WorkerFigures } from './measured.ts'
import { clusterDocuments, matchPartition, numberDocuments } from './passes/cluster.ts'
import { documentPart } from './passes/document-part.ts'
import { type Examined, examineUnit } from './passes/examine.ts'
import { shuffleShard } from './passes/shuffle.ts'
import { tokenPart } from './passes/token-part.ts'
import { type Output, writeUnit, type WrittenUnit } from './passes/write.ts'
import type { Pipeline } from './pipeline.ts'
import { readUnit } from './read/read-unit.ts'
import { runRepeats } from './repeats/run-repeats.ts'
import { violatedStatistic, percent } from './steps/contract.ts'
import { brokenRecord, brokenSource, ContractBroken, stopError, type Stopped } from './stop.ts'
import { loadTokenizer, tokenBytes, type Tokenizing } from './tokenizing.ts'
import type { Unit } from './unit.ts'
import { isThere, readJson, runTasks, type Turn, writeJson } from './work-directory.ts'

export type Place = { readonly rank: number; readonly world: number }

/** Text of a shard of tokens, before it is tokenised: what one worker holds at once. */
const SHARD_TEXT_BYTES = 512e6
/** Of compressed text, in the size of its file. */
const USUAL_COMPRESSION = 4

export async function runWorker(pipeline: Pipeline, place: Place): Promise<void> {
  const { files } = pipeline
  const check = async (): Promise<void> => {
    if (await isThere(files.stopped)) throw stopError(await readJson<Stopped>(files.stopped))
  }
  try {
    await runPasses(pipeline, { ...place, check })
    const own: WorkerFigures = { peak_bytes: 1024 * process.resourceUsage().maxRSS, machine: machineName() }
    await writeJson(files.worker(place.rank), own)
  } catch (error) {
    if (error instanceof IronlawError && error.code === 'IL_DISK_FULL') throw await diskFullError(pipeline, error)
    if (!(error instanceof ContractBroken)) throw error
    const record = (await recordsBefore(error.unit)) + error.violation.record + 1
    const stopped = brokenRecord(error.unit.file, record, error.violation)
    await writeJson(files.stopped, stopped)
    throw stopError(stopped)
  }
}

async function runPasses(pipeline: Pipeline, turn: Turn): Promise<void> {
  const { units, files, duplicates, tokenize } = pipeline
  if (duplicates) {
    await runTasks(
      units.map((unit) => ({ done: files.examined(unit.number), run: async () => await examineUnit(pipeline, unit) })),
      turn,
    )
    await checkSources(
      pipeline,
      (await readAll<Examined>(units, files.examined)).map(({ figures }) => figures),
    )
    const numbering = await numberDocuments(pipeline)
    const partitions = Array.from({ length: duplicates.partitions }, (_, partition) => partition)
    await runTasks(
      partitions.map((partition) => ({
        done: files.edges(partition),
        run: async () => await matchPartition(pipeline, partition, numbering),
      })),
      turn,
    )
    await runTasks([{ done: files.clustered, run: async () => await clusterDocuments(pipeline, numbering) }], turn)
    if (duplicates.substrings) await runRepeats(pipeline, turn)
  }
  const tokenizing = tokenize && (await loadTokenizer(tokenize, pipeline.directory))
  const shards = await shardCount(pipeline)
  await runTasks(
    units.map((unit) => ({
      done: files.written(unit.number),
      run: async () => await writeUnit(pipeline, unit, outputOf(pipeline, unit, { shards, tokenizing })),
    })),
    turn,
  )
  const written = await readAll<WrittenUnit>(units, files.written)
  if (!duplicates)
    await checkSources(
      pipeline,
      written.map(({ figures }) => figures),
    )
  if (tokenizing) {
    const input = { written, width: tokenBytes(tokenizing) }
    await runTasks(
      Array.from({ length: shards }, (_, shard) => ({
        done: files.shuffled(shard),
        run: async () => await shuffleShard(pipeline, shard, input),
      })),
      turn,
    )
  }
}

export const readAll = async <Value>(units: readonly Unit[], path: (unit: number) => string): Promise<Value[]> =>
  await Promise.all(units.map(async ({ number }) => await readJson<Value>(path(number))))

export async function shardCount({ units, files, duplicates }: Pipeline): Promise<number> {
  const bytes = duplicates
    ? (await readAll<Examined>(units, files.examined)).reduce((sum, each) => sum + each.bytes, 0)
    : units.reduce((sum, { start, end, compression }) => sum + (end - start) * (compression ? USUAL_COMPRESSION : 1), 0)
  return Math.max(1, Math.ceil(bytes / SHARD_TEXT_BYTES))
}

type OutputChoice = { readonly shards: number; readonly tokenizing: Tokenizing | undefined }

function outputOf({ files, spec }: Pipeline, unit: Unit, { shards, tokenizing }: OutputChoice): Output {
  const path = files.part(unit.number)
  if (tokenizing) return tokenPart({ path, shards, seed: spec.seed, tokenizing })
  return documentPart(path, spec.from[unit.source]?.text ?? 'text')
}

/** The contract with each source as a whole, once all of it was read. */
async function checkSources({ contract, files }: Pipeline, figures: readonly Figures[]): Promise<void> {
  let sum: Figures = { steps: [], sources: {} }
  for (const each of figures) sum = sumFigures(sum, each)
  for (const [source, { records, violations, firstViolation, fields }] of Object.entries(sum.sources)) {
    const share = records === 0 ? 0 : violations / records
    const problems = contract.statistics.flatMap((statistic) => {
      const violated =
        fields[statistic.field] && violatedStatistic(statistic, fields[statistic.field] as NonNullable<(typeof fields)[string]>)
      return violated ? [`${violated.problem} (rule ${violated.rule})`] : []
    })
    if (typeof contract.violations === 'number' && share > contract.violations && firstViolation)
      problems.push(
        `${violations} of ${records} records (${percent(share)}) violate the contract, more than ${percent(contract.violations)}; for example ${firstViolation.file}: ${firstViolation.problem} (rule ${firstViolation.rule})`,
      )
    if (problems[0] !== undefined) {
      const stopped = brokenSource(source, problems.join('; '))
      await writeJson(files.stopped, stopped)
      throw stopError(stopped)
    }
  }
}

/** Records of the file that lie before the unit. */
async function recordsBefore(unit: Unit): Promise<number> {
  if (unit.start === 0) return 0
  let records = 0
  try {
    for await (const batch of readUnit({ ...unit, start: 0, end: unit.start })) records += batch.length
  } catch (cause) {
    if (!(cause instanceof IronlawError)) throw cause
  }
  return records
}
