// `ironlaw data show`: from a step to its samples, from a sample to tokens and documents.

import { type Artifacts, readRange } from '@ironlaw/artifacts'
import { IronlawError } from '@ironlaw/contracts'
import { shardFiles, type TokenDataset } from '@ironlaw/contracts/token-dataset'
import { dataOrder, documentsOf, type Piece, piecesOf, positionsOfStep, tokensOfSample } from '@ironlaw/data'
import type { CommandAnswer } from '../answer.ts'
import { paint } from '../paint.ts'
import { wholeNumber } from '../whole-number.ts'
import { runData, type SourceData } from './run-data.ts'

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
  const { start, end } = positionsOfStep(step, batch)
  const at = dataOrder(order).at
  const samples: ShownSample[] = []
  for (let position = start; position < Math.min(end, start + most); position += 1) {
    const placed = at(position)
    const data = placed && sources.get(placed.source)
    if (!data) throw new IronlawError('IL_USAGE', { problem: `the data order of ${run.id} ends before step ${step}`, command: 'data show' })
    const { source, epoch, sample } = placed
    samples.push({ position, source, epoch, sample, ...(await readSample(artifacts, data, { sample, length })) })
  }
  return {
    json: { run: run.id, step, batch, samples },
    text: () =>
      [
        `step ${step.toLocaleString('en')} of ${run.id}: positions ${start.toLocaleString('en')} to ${(end - 1).toLocaleString('en')}`,
        ...samples.flatMap(sampleText),
        ...(end - start > most ? [paint('dim', `${(end - start - most).toLocaleString('en')} more; --samples shows them`)] : []),
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

async function readSample(artifacts: Artifacts, { dataset, manifest, folder }: SourceData, { sample, length }: SampleRequest) {
  const range = tokensOfSample(sample, dataset.sequence)
  const pieces = piecesOf(
    range,
    dataset.shards.map(({ tokens }) => tokens),
  )
  const fileOf = (path: string) => {
    const file = manifest.files.find((each) => each.path === `${folder}${path}`)
    if (!file) throw new IronlawError('IL_NOT_FOUND', { kind: 'file of the dataset', id: `${folder}${path}` })
    return file
  }
  const tokens: number[] = []
  const documents: number[] = []
  for (const piece of pieces) {
    const files = shardFiles(piece.shard)
    const index = await readRange(artifacts, fileOf(files.documents), {
      start: 0,
      end: 8 * ((dataset.shards[piece.shard]?.documents ?? 0) + 1),
    })
    documents.push(...documentNumbers(dataset, piece, index))
    const width = dataset.dtype === 'uint16' ? 2 : 4
    const end = Math.min(piece.end, piece.start + length - tokens.length)
    if (end <= piece.start) continue
    const bytes = await readRange(artifacts, fileOf(files.tokens), { start: width * piece.start, end: width * end })
    for (let offset = 0; offset < bytes.length; offset += width) tokens.push(bytes.readUIntLE(offset, width))
  }
  // Bytes as tokens are text; those of other tokenizers are shown as numbers.
  return { documents, tokens, ...(dataset.vocabulary === BYTES && { text: Buffer.from(tokens).toString() }) }
}

const BYTES = 256

function documentNumbers({ shards }: TokenDataset, piece: Piece, index: Buffer): readonly number[] {
  const before = shards.slice(0, piece.shard).reduce((sum, { documents }) => sum + documents, 0)
  const entries = { documents: index.length / 8 - 1, offsetAt: (entry: number) => Number(index.readBigUInt64LE(8 * entry)) }
  const { first, end } = documentsOf(piece, entries)
  return Array.from({ length: end - first }, (_, nth) => before + first + nth)
}
