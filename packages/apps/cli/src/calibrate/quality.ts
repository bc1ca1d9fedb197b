// `ironlaw calibrate quality`: how far precisions of a model score below its reference precision, kept for serving plans.

import { CACHE_PRECISIONS, foldedName, IronlawError, WEIGHT_PRECISIONS, type WeightPrecision } from '@ironlaw/contracts'
import { checkComparable, checkWhole, readEvaluation, type ReadEvaluation } from '@ironlaw/evaluations'
import { builtInModel } from '@ironlaw/models'
import type { CommandAnswer } from '../answer.ts'
import { userCatalog } from '../catalog/catalog-source.ts'
import { saveChange } from './document.ts'
import { type QualityArm, qualityEntry, qualityId, type QualityPair } from './quality-entry.ts'
import { qualityTable } from './quality-text.ts'

const COMMAND = 'calibrate quality'

/** Weights differ in their quantization: that is the question. */
const ACROSS = { across: ['quantization'], next: 'evaluate both precisions by the same engine and settings' }

export type QualityFlags = {
  readonly model?: string
  readonly reference?: string
  readonly precision?: readonly string[]
  readonly cache: string
}

export async function calibrateQuality(base: string, directories: readonly string[], flags: QualityFlags): Promise<CommandAnswer> {
  const read = await readEvaluation(base)
  const arms = await Promise.all(directories.map(async (directory) => ({ directory, read: await readEvaluation(directory) })))
  const stated = statedPrecisions(flags.precision, directories.length)
  const reference = { directory: base, read, precision: referencePrecision(read, flags.reference) }
  const model = modelName(flags.model, read)
  const pairs = arms.map(({ directory, read: own }, at): QualityPair => {
    checkComparable(read.evaluation, own.evaluation, ACROSS)
    for (const { evaluation } of [read, own]) checkWhole(evaluation)
    const candidate = { directory, read: own, precision: candidatePrecision({ directory, read: own }, stated[at]) }
    return { model, reference, candidate, cache: cacheFlag(flags.cache), candidates: arms.length }
  })
  for (const pair of pairs) refuseSame(pair)
  refuseRepeated(pairs)
  const entries = Object.fromEntries(pairs.map((pair) => [qualityId(pair), qualityEntry(pair)]))
  const { number, file } = saveChange(userCatalog(undefined), {
    by: `${COMMAND} ${[base, ...directories].join(' ')}`,
    entries: { quality: entries },
  })
  return { json: { version: number, file, quality: entries }, text: () => `${qualityTable(entries)}\n\n${suiteText(reference)}` }
}

const isOneOf = <Name extends string>(names: readonly Name[], text: string): Name | undefined =>
  names.find((name) => foldedName(name) === foldedName(text))

function precisionFlag(flag: string, text: string): WeightPrecision {
  const found = isOneOf(WEIGHT_PRECISIONS, text)
  if (found) return found
  throw new IronlawError('IL_USAGE', { problem: `${flag} ${text}: expected one of ${WEIGHT_PRECISIONS.join(', ')}`, command: COMMAND })
}

function cacheFlag(text: string): string {
  const found = isOneOf(CACHE_PRECISIONS, text)
  if (found) return found
  throw new IronlawError('IL_USAGE', { problem: `--cache ${text}: expected one of ${CACHE_PRECISIONS.join(', ')}`, command: COMMAND })
}

function statedPrecisions(stated: readonly string[] = [], candidates: number): readonly WeightPrecision[] {
  if (stated.length === 0 || stated.length === candidates) return stated.map((text) => precisionFlag('--precision', text))
  throw new IronlawError('IL_USAGE', {
    problem: `--precision: ${stated.length} for ${candidates} candidates; name one for each, in their order, or none`,
    command: COMMAND,
  })
}

/** Engines that say nothing of a quantization serve 16 bits. */
function referencePrecision({ evaluation: { instrument, name } }: ReadEvaluation, flag: string | undefined): WeightPrecision {
  if (flag !== undefined) return precisionFlag('--reference', flag)
  const { quantization } = instrument
  const found = quantization === undefined ? 'bf16' : isOneOf(WEIGHT_PRECISIONS, quantization)
  if (found) return found
  throw unnamedPrecision(`${name}: its engine calls the quantization "${quantization}"`, '--reference')
}

function candidatePrecision({ directory, read }: Omit<QualityArm, 'precision'>, stated: WeightPrecision | undefined): WeightPrecision {
  if (stated) return stated
  const { quantization } = read.evaluation.instrument
  const found = quantization === undefined ? undefined : isOneOf(WEIGHT_PRECISIONS, quantization)
  if (found) return found
  const said =
    quantization === undefined ? 'its engine says nothing of a quantization' : `its engine calls the quantization "${quantization}"`
  throw unnamedPrecision(`${directory}: ${said}`, '--precision')
}

const unnamedPrecision = (problem: string, flag: string): IronlawError =>
  new IronlawError(
    'IL_USAGE',
    { problem, command: COMMAND },
    { next: `name the precision of serving specs that it is: ${flag} with one of ${WEIGHT_PRECISIONS.join(', ')}` },
  )

/** A path is another model in another directory, and the figure would be taken for its. */
function modelName(flag: string | undefined, { evaluation }: ReadEvaluation): string {
  const name = flag ?? evaluation.model.id
  if (name.endsWith('config.json') || name.startsWith('.'))
    throw new IronlawError(
      'IL_USAGE',
      { problem: `--model ${name}: a path does not name a model everywhere`, command: COMMAND },
      { next: 'give it a name, and write it as quality.model into the serving spec' },
    )
  return builtInModel(name)?.name ?? name
}

function refuseSame({ reference, candidate, cache }: QualityPair): void {
  if (candidate.precision !== reference.precision || cache !== 'bf16') return
  throw new IronlawError(
    'IL_USAGE',
    { problem: `${candidate.directory}: ${candidate.precision} is the reference itself`, command: COMMAND },
    { next: 'name the precision of the candidate with --precision, or that of its keys and values with --cache' },
  )
}

function refuseRepeated(pairs: readonly QualityPair[]): void {
  const precisions = pairs.map(({ candidate }) => candidate.precision)
  const repeated = precisions.find((precision, at) => precisions.indexOf(precision) !== at)
  if (repeated)
    throw new IronlawError('IL_USAGE', { problem: `two candidates are ${repeated}; only one figure is kept of each`, command: COMMAND })
}

function suiteText({ read: { evaluation } }: QualityArm): string {
  const { name, instrument, items } = evaluation
  const engine = [instrument.engine, instrument.version ?? []].flat().join(' ')
  return `${name}: ${items.count.toLocaleString('en')} items (${items.digest.slice(0, 12)}), task ${instrument.task} by ${instrument.metric}, ${engine}`
}
