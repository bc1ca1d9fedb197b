// `ironlaw data plan`, and `ironlaw plan` of a data spec: what the steps will leave and take, from a probe of the corpus.

import { dirname, resolve } from 'node:path'
import { tmpdir } from 'node:os'
import { IronlawError, quantityOf } from '@ironlaw/contracts'
import type { DataInterval, DataPlan } from '@ironlaw/contracts/data-plan'
import { DATA_PROBE, type DataProbe } from '@ironlaw/contracts/data-probe'
import { dataSpecDigest, type DataSpec, parseDataSpec } from '@ironlaw/contracts/data-spec'
import { readValue } from '@ironlaw/contracts/read-value'
import { type CorpusSample, preparePipeline, probeSample, sampleCorpus } from '@ironlaw/pipelines'
import { type DataConditions, planData, scaledProbe } from '@ironlaw/planner'
import { bytes, counted, dollars, seconds, show } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { dataRates } from '../calibrate/data-rates.ts'
import { readDocument } from '../input-file.ts'
import { paint } from '../paint.ts'
import { derivationText } from '../plan/derivation.ts'
import { progressLine } from '../progress.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'
import { shareOf } from './share.ts'

export type DataPlanFlags = {
  /** Of the clusters of the corpus that the probe runs through the steps. */
  readonly share?: string
  /** What an earlier probe printed. */
  readonly probe?: string
  readonly workers?: string
  readonly corpus?: string
  readonly storage?: string
  readonly price?: string
  readonly explain?: true
}

/** Of a large corpus. One of which this is less than so many bytes is probed by a larger share, a small one whole. */
const SHARE = 0.01
const LEAST_BYTES = 100e6

export async function planDatasetAnswer(file: string, flags: DataPlanFlags): Promise<CommandAnswer> {
  const spec = parseDataSpec(readDocument(file), file)
  const probed = flags.probe === undefined ? await probeSpec(spec, { file, share: flags.share }) : readProbe(flags.probe, spec)
  const probe = flags.corpus === undefined ? probed : scaledProbe(probed, quantityOf(flags.corpus, 'B'))
  const { plan, derivations } = planData({ name: spec.name, probe, conditions: conditionsOf(spec, flags, probe) })
  const explained = Object.entries(flags.explain ? derivations : {}).map(([name, known]) => derivationText(name, known))
  return { json: plan, text: () => [planText(plan, probe), ...explained].join('\n\n') }
}

/** A probe alone, to plan from it again and again. */
export async function probeAnswer(file: string, flags: Pick<DataPlanFlags, 'share'>): Promise<CommandAnswer> {
  const spec = parseDataSpec(readDocument(file), file)
  const probe = await probeSpec(spec, { file, share: flags.share })
  return { json: probe, text: () => JSON.stringify(probe) }
}

export type SpecProbe = { readonly file: string; readonly share: string | undefined }

async function probeSpec(spec: DataSpec, { file, share }: SpecProbe): Promise<DataProbe> {
  const { pipeline } = await preparePipeline({ spec, directory: dirname(resolve(file)), work: tmpdir() })
  return await probeSample(pipeline, await sampleOf(spec, { file, share }))
}

/** With progress, as all of the corpus is read once. */
export async function sampleOf(spec: DataSpec, { file, share }: SpecProbe): Promise<CorpusSample> {
  const { pipeline } = await preparePipeline({ spec, directory: dirname(resolve(file)), work: tmpdir() })
  const line = progressLine('MB read')
  const stored = pipeline.units.reduce((sum, { start, end }) => sum + end - start, 0)
  const chosen = share === undefined ? Math.min(1, Math.max(SHARE, LEAST_BYTES / Math.max(1, stored))) : probedShare(share)
  const sample = await sampleCorpus(pipeline, { share: chosen, onProgress: (read) => line.tick(Math.round(read / 1e6)) })
  line.clear()
  return sample
}

function probedShare(text: string): number {
  const share = shareOf(text)
  if (share === undefined)
    throw new IronlawError('IL_USAGE', { problem: `--share: "${text}" is not a share such as 0.01 or "1 %"`, command: 'data plan' })
  return share
}

function readProbe(path: string, spec: DataSpec): DataProbe {
  const parsed = readValue(DATA_PROBE, readDocument(path))
  if (!parsed.success)
    throw new IronlawError('IL_DOCUMENT', { path, reason: 'it is not a probe' }, { next: 'write it with "ironlaw data probe SPEC --json"' })
  if (parsed.data.spec !== dataSpecDigest(spec))
    throw new IronlawError(
      'IL_DOCUMENT',
      { path, reason: 'it is the probe of another spec' },
      { next: 'probe again: the steps have changed' },
    )
  return parsed.data
}

function conditionsOf(spec: DataSpec, { workers, storage, price }: DataPlanFlags, probe: DataProbe): DataConditions {
  const processes = workers === undefined ? (spec.workers ?? probe.machine.cores) : wholeNumber('--workers', workers)
  const similarity = spec.steps.find(({ deduplicate }) => deduplicate)?.deduplicate?.similarity
  return {
    workers: processes,
    rates: dataRates(probe.machine.name),
    cores: Math.max(processes, probe.machine.cores),
    // One worker is this process.
    ...(processes === 1 ? { start_s: 0.2 } : {}),
    ...(similarity !== undefined && similarity < 1 ? { similarity } : {}),
    ...(storage === undefined ? {} : { storage_bytes_per_s: quantityOf(storage, 'B/s') }),
    ...(price === undefined ? {} : { coreHour_usd: 3600 * quantityOf(price, 'USD/s') }),
  }
}

const amount = (value: number): string => show(bytes(value), 'B').replace(/ ?B$/, '')
const countText = (value: number): string => (value < 1e6 ? Math.round(value).toLocaleString('en') : amount(value).replace('k', 'K'))
const between = ({ value, low, high }: DataInterval, text: (value: number) => string): string =>
  `${text(value)} ${paint('dim', `(${text(low)} to ${text(high)})`)}`

/** Where rates came from, the surest first. */
function ratesText(rates: DataPlan['rates']): string {
  const causes = (from: DataPlan['rates'][number]['from']): string =>
    [...new Set(rates.filter((rate) => rate.from === from).map(({ cause }) => cause))].join(', ')
  const learned = rates.filter(({ from }) => from === 'calibration').map(({ runs = 0 }) => runs)
  return [
    ...(learned.length > 0 ? [`${causes('calibration')} by the calibration of ${counted(Math.max(...learned), 'run')}`] : []),
    ...(causes('probe') === '' ? [] : [`${causes('probe')} by the probe`]),
    ...(causes('assumed') === '' ? [] : [`${causes('assumed')} assumed`]),
  ].join('; ')
}

function planText({ name, corpus, workers, rates, prediction: p }: DataPlan, { share, time_s, heavy }: DataProbe): string {
  const size = (value: number): string => show(bytes(value), 'B')
  const time = (value: number): string => show(seconds(value), 's')
  const left = p.left.map(({ step, documents, bytes: text, tokens }) => [
    step,
    between(documents, countText),
    `${((100 * documents.value) / Math.max(1, corpus.documents)).toFixed(1)} %`,
    between(text, size),
    tokens ? between(tokens, countText) : '',
  ])
  const causes = Object.entries(p.causes_s)
    .toSorted(([, a], [, b]) => b.value - a.value)
    .filter(([, { value }]) => value >= 0.01 * p.duration_s.value)
    .map(([cause, { value }]) => `${cause} ${((100 * value) / p.duration_s.value).toFixed(0)} %`)
  const [first, ...others] = p.limits
  return [
    `${paint('bold', name)}: ${size(corpus.stored_bytes)} in ${countText(corpus.documents)} documents; probed ${(100 * share).toFixed(1)} % of them by content in ${time(time_s)}${heavy.clusters > 0 ? `, and ${heavy.clusters} groups of duplicates whole` : ''}`,
    '',
    table(['step', 'documents left', '', 'text', 'tokens'], left, [2]),
    '',
    `time    ${between(p.duration_s, time)} with ${workers} workers: ${causes.join(', ')}`,
    `rates   ${ratesText(rates)}`,
    `memory  ${between(p.worker_bytes, size)} a worker, ${between(p.cluster_bytes, size)} to join duplicates; disk ${between(p.disk_bytes, size)}`,
    ...(p.misses
      ? [
          `misses  ${countText(p.misses.missed)} of ${countText(p.misses.pairs)} pairs of similarity ${p.misses.threshold} or more; ${countText(p.misses.falseHits)} pairs below it are taken for duplicates`,
        ]
      : []),
    ...(p.cost_usd ? [`price   ${between(p.cost_usd, (value) => show(dollars(value), 'USD'))}`] : []),
    ...(first ? [`first limit  ${first.name}: ${first.detail}`] : []),
    ...(others[0] ? [`then         ${others[0].name}: ${others[0].detail}`] : []),
  ].join('\n')
}
