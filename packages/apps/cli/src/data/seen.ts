// `ironlaw data seen`: from a document to the samples that hold it, from a sample to its positions, by the inverse of the order.

import { readRange } from '@ironlaw/artifacts'
import { IronlawError } from '@ironlaw/contracts'
import { shardFiles } from '@ironlaw/contracts/token-dataset'
import { dataOrder, samplesOfTokens, stepOfPosition } from '@ironlaw/data'
import type { CommandAnswer } from '../answer.ts'
import { runData, type RunData, type SourceData } from './run-data.ts'

export type SeenFlags = { readonly source: string; readonly document: string }

/** A document of a small source is seen again and again. */
const MOST_STEPS = 100

export async function seenAnswer(idOrName: string, { source, document }: SeenFlags): Promise<CommandAnswer> {
  const data = await runData(idOrName)
  const { run, order, batch, sources } = data
  const found = sources.get(source)
  if (!found)
    throw new IronlawError(
      'IL_NOT_FOUND',
      { kind: 'source in the data order', id: source },
      { next: `there are: ${[...sources.keys()].join(', ')}` },
    )
  if (!/^\d{1,15}$/.test(document) || Number(document) >= found.dataset.documents)
    throw new IronlawError('IL_QUANTITY', {
      name: '--document',
      reason: `"${document}" is not the number of a document of ${source}, which has ${found.dataset.documents.toLocaleString('en')}, counted from 0`,
    })
  const range = await tokensOfDocument(data, found, Number(document))
  const { first, end } = samplesOfTokens(range, found.dataset)
  const lastStep = run.step ?? Infinity
  const { positionsOf } = dataOrder(order)
  const steps = new Set<number>()
  for (let sample = first; sample < end; sample += 1)
    for (const position of positionsOf(source, sample)) {
      const step = stepOfPosition(position, batch)
      if (step > lastStep || steps.size >= MOST_STEPS) break
      steps.add(step)
    }
  const sorted = [...steps].toSorted((a, b) => a - b)
  return {
    json: { run: run.id, source, document: Number(document), tokens: range, samples: { first, end }, steps: sorted },
    text: () =>
      sorted.length === 0
        ? `${run.id} has not seen document ${document} of ${source} up to step ${run.step ?? 0}`
        : `${run.id} saw document ${document} of ${source} first at step ${(sorted[0] ?? 0).toLocaleString('en')}${sorted.length > 1 ? `, then at ${sorted.slice(1).join(', ')}` : ''}`,
  }
}

async function tokensOfDocument({ artifacts }: RunData, { dataset, manifest, folder }: SourceData, document: number) {
  let [left, before] = [document, 0]
  for (const [number, { documents, tokens }] of dataset.shards.entries()) {
    if (left < documents) {
      const path = `${folder}${shardFiles(number).documents}`
      const file = manifest.files.find((each) => each.path === path)
      if (!file) throw new IronlawError('IL_NOT_FOUND', { kind: 'file of the dataset', id: path })
      const entries = await readRange(artifacts, file, { start: 8 * left, end: 8 * (left + 2) })
      return { start: before + Number(entries.readBigUInt64LE(0)), end: before + Number(entries.readBigUInt64LE(8)) }
    }
    left -= documents
    before += tokens
  }
  throw new IronlawError('IL_NOT_FOUND', { kind: 'document', id: String(document) })
}
