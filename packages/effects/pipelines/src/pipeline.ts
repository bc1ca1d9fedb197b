// A data spec, taken apart into passes. Every worker derives it from the spec and the files alone.
//
//   examine     each unit: contract, the steps before deduplication, signatures      only where documents are deduplicated
//   match       each partition of keys: which documents share one
//   cluster     once: which document of each group is kept
//   (repeats)   four passes that find repeated text, see repeats/run-repeats.ts        only where it is removed
//   write       each unit: the other steps, then documents or tokens
//   shuffle     each shard of tokens: documents in their final order                 only where documents are tokenised

import { relative } from 'node:path'
import { type DataContract, type DataSource, type DataSpec, type DataStep, stepNames } from '@ironlaw/contracts/data-spec'
import { SIGNATURE_SHAPE, type SignatureShape } from '@ironlaw/text'
import { recordRules, type RecordRules } from './steps/contract.ts'
import { compileStep } from './steps/compile.ts'
import type { Step } from './steps/step.ts'
import { loadTokenizer } from './tokenizing.ts'
import type { Unit } from './unit.ts'
import { type WorkFiles, workFiles } from './work-directory.ts'

export type PlacedStep = { readonly place: number; readonly step: DataStep }

/** Runs of so many words that are in the corpus once. */
export type Substrings = { readonly words: number; readonly partitions: number }

export type Duplicates = {
  readonly place: number
  /** None where only equal texts are duplicates. */
  readonly shape?: SignatureShape
  /** A power of two. Keys of one partition are held in memory at once. */
  readonly partitions: number
  readonly substrings?: Substrings
}

export type Pipeline = {
  readonly spec: DataSpec
  readonly directory: string
  /** Where the files of artifacts were restored to. */
  readonly restored?: string
  readonly units: readonly Unit[]
  readonly files: WorkFiles
  readonly stepNames: readonly string[]
  readonly contract: DataContract
  readonly rules: RecordRules
  readonly before: readonly PlacedStep[]
  readonly duplicates?: Duplicates
  readonly after: readonly PlacedStep[]
  readonly tokenize?: NonNullable<DataStep['tokenize']> & { readonly place: number }
}

const NO_CONTRACT: DataContract = { fields: {}, statistics: [], violations: 'stop' }

export type PipelineInput = Pick<Pipeline, 'spec' | 'directory' | 'restored' | 'units'> & { readonly work: string }

export function createPipeline({ spec, directory, restored, units, work }: PipelineInput): Pipeline {
  const placed = spec.steps.map((step, place) => ({ place, step }))
  const contract = placed.find(({ step }) => step.expect)?.step.expect ?? NO_CONTRACT
  const deduplicate = placed.find(({ step }) => step.deduplicate)
  const tokenize = placed.find(({ step }) => step.tokenize)
  const filters = placed.filter(({ step }) => !step.expect && !step.deduplicate && !step.tokenize)
  const split = deduplicate?.place ?? -1
  return {
    spec,
    directory,
    ...(restored === undefined ? {} : { restored }),
    units,
    files: workFiles(work),
    stepNames: stepNames(spec.steps),
    contract,
    rules: recordRules(contract),
    before: filters.filter(({ place }) => place < split),
    ...(deduplicate?.step.deduplicate
      ? { duplicates: { place: split, ...shapeOf(deduplicate.step.deduplicate), ...keysOf(deduplicate.step.deduplicate, units) } }
      : {}),
    after: filters.filter(({ place }) => place > split),
    ...(tokenize?.step.tokenize ? { tokenize: { ...tokenize.step.tokenize, place: tokenize.place } } : {}),
  }
}

/** Recall at the similarity asked for. */
const LEAST_RECALL = 0.9
const BINS = SIGNATURE_SHAPE.bands * SIGNATURE_SHAPE.rows

/** As many rows as leave that recall: the more rows, the fewer documents below the similarity are taken for duplicates. */
function shapeOf({ similarity, words }: { readonly similarity: number; readonly words: number }): {
  readonly shape?: SignatureShape
} {
  if (similarity === 1) return {}
  for (let rows = BINS; rows > 1; rows -= 1) {
    const bands = Math.floor(BINS / rows)
    if (1 - (1 - similarity ** rows) ** bands >= LEAST_RECALL) return { shape: { shingleWords: words, bands, rows } }
  }
  return { shape: { shingleWords: words, bands: BINS, rows: 1 } }
}

function keysOf(
  { substrings }: NonNullable<DataStep['deduplicate']>,
  units: readonly Unit[],
): Pick<Duplicates, 'partitions' | 'substrings'> {
  const partitions = partitionsFor(units)
  return { partitions, ...(substrings === undefined ? {} : { substrings: { words: substrings, partitions } }) }
}

const PARTITION_BYTES = 256e6
const MOST_PARTITIONS = 1024

function partitionsFor(units: readonly Unit[]): number {
  const bytes = units.reduce((sum, { start, end }) => sum + (end - start), 0)
  return 2 ** Math.ceil(Math.log2(Math.min(MOST_PARTITIONS, Math.max(1, bytes / PARTITION_BYTES))))
}

/** As a dataset names a source file: the same wherever artifacts were restored to. */
export function shownPath({ directory, restored }: Pick<Pipeline, 'directory' | 'restored'>, file: string): string {
  const inArtifact = restored === undefined ? '..' : relative(restored, file)
  return inArtifact.startsWith('..') ? relative(directory, file) : inArtifact
}

/** Only where the spec removes repeated text. */
export const substringsOf = ({ duplicates }: Pipeline): Substrings => duplicates?.substrings as Substrings

export const sourceOf = ({ spec }: Pipeline, { source }: Unit): DataSource => spec.from[source] as DataSource

export type CompiledSteps = readonly { readonly place: number; readonly name: string; readonly step: Step }[]

export async function compileSteps(
  { spec, directory, stepNames: names }: Pipeline,
  placed: readonly PlacedStep[],
  unit: Unit,
): Promise<CompiledSteps> {
  const compiled = await Promise.all(
    placed.map(async ({ place, step }) => ({ place, step: await compileStep(step, { spec, directory, source: unit.source }) })),
  )
  return compiled.flatMap(({ place, step }) => (step ? [{ place, name: names[place] as string, step }] : []))
}

export const closeSteps = async (steps: CompiledSteps): Promise<void> => {
  for (const { step } of steps) await step.close?.()
}

/** What steps need besides documents is read once before anything is started: a file that is missing is better known now. */
export async function checkResources(pipeline: Pipeline): Promise<void> {
  const [unit] = pipeline.units
  if (unit) await closeSteps(await compileSteps(pipeline, [...pipeline.before, ...pipeline.after], unit))
  if (pipeline.tokenize) await loadTokenizer(pipeline.tokenize, pipeline.directory)
}
