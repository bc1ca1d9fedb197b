// `ironlaw data show`: from a step to its samples, from a sample to tokens and documents.

import { type Artifacts, readRange } from '@ironlaw/artifacts'
import { IronlawError } from '@ironlaw/contracts'
import { shardFiles } from '@ironlaw/contracts/token-dataset'
import { dataOrder, documentNumber, documentsOfSample, piecesOf, positionsOfStep, samplesOfStep, tokensOfSample } from '@ironlaw/data'
import type { CommandAnswer } from '../answer.ts'
import { paint } from '../paint.ts'
import { wholeNumber } from '../whole-number.ts'
import { fileOf, layoutOf, runData, type SourceData } from './run-data.ts'
import { type TokenText, tokenText } from './token-text.ts'

export type ShowFlags = { readonly step: string; readonly samples: string; readonly tokens: string }

type ShownSample = {
  readonly position: number
  readonly source: string
  readonly epoch: number
  readonly sample: number
  /** Counted over all shards of the dataset. */
  readonly documents: readonly number[]
  readonly tokens: readonly number[]
  readonly text?: string
}

export async function showStep(idOrName: string, flags: ShowFlags): Promise<CommandAnswer> {
  const [step, most, length] = [
    wholeNumber('--step', flags.step),
    wholeNumber('--samples', flags.samples),
    wholeNumber('--tokens', flags.tokens),
  ]
  const { run, artifacts, order, batch, sources } = await runData(idOrName)
  const placed = samplesOfStep(dataOrder(order), { step, batch })
  if (placed.length === 0)
    throw new IronlawError('IL_USAGE', { problem: `the data order of ${run.id} ends before step ${step}`, command: 'data show' })
  const samples: ShownSample[] = []
  const texts = new Map<string, TokenText>()
  for (const { position, source, epoch, sample } of placed.slice(0, most)) {
    const data = sources.get(source)
    if (!data) continue
    const known = texts.get(source) ?? (await tokenText(artifacts, data))
    texts.set(source, known)
    const read = await readSample(artifacts, data, { sample, length })
    samples.push({ position, source, epoch, sample, ...read, ...('textOf' in known && { text: known.textOf(read.tokens) }) })
  }
  const undecoded = [...texts].flatMap(([source, known]) => ('why' in known ? [{ source, why: known.why }] : []))
  const { start, end } = positionsOfStep(step, batch)
  const more = placed.length - samples.length
  return {
    json: { run: run.id, step, batch, samples, undecoded },
    text: () =>
      [
        `step ${step.toLocaleString('en')} of ${run.id}: positions ${start.toLocaleString('en')} to ${(end - 1).toLocaleString('en')}`,
        ...samples.flatMap(sampleText),
        ...undecoded.flatMap(({ source, why }) => ['', paint('dim', `${source} is shown as numbers: ${why}`)]),
        ...(more > 0 ? ['', paint('dim', `${more.toLocaleString('en')} more; --samples shows them`)] : []),
      ].join('\n'),
  }
}

function sampleText({ position, source, epoch, sample, documents, tokens, text }: ShownSample): readonly string[] {
  const [first = 0, last = first] = [documents[0], documents.at(-1)]
  const which =
    first === last ? `document ${first.toLocaleString('en')}` : `documents ${first.toLocaleString('en')} to ${last.toLocaleString('en')}`
  return [
    '',
    `${position.toLocaleString('en')}  ${paint('bold', source)} sample ${sample.toLocaleString('en')}, epoch ${epoch + 1}, ${which}`,
    `  ${text === undefined ? tokens.join(' ') : JSON.stringify(text)}`,
  ]
}

type SampleRequest = { readonly sample: number; readonly length: number }

async function readSample(artifacts: Artifacts, source: SourceData, { sample, length }: SampleRequest) {
  const { dataset } = source
  const pieces = piecesOf(
    tokensOfSample(sample, dataset.sequence),
    dataset.shards.map(({ tokens }) => tokens),
  )
  const indexes = pieces.map(({ shard }) => ({ shard, first: 0, end: (dataset.shards[shard]?.documents ?? 0) + 1 }))
  const documents = documentsOfSample(sample, await layoutOf(artifacts, source, indexes))
  const width = dataset.dtype === 'uint16' ? 2 : 4
  const tokens: number[] = []
  for (const { shard, start, end } of pieces) {
    const last = Math.min(end, start + length - tokens.length)
    if (last <= start) break
    const bytes = await readRange(artifacts, fileOf(source, shardFiles(shard).tokens), { start: width * start, end: width * last })
    for (let offset = 0; offset < bytes.length; offset += width) tokens.push(bytes.readUIntLE(offset, width))
  }
  return { documents: documents.map((place) => documentNumber(dataset.shards, place)), tokens }
}
