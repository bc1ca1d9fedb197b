// `ironlaw data seen`: from a document to the samples that hold it, from a sample to its positions, by the inverse of the order.

import { IronlawError } from '@ironlaw/contracts'
import type { TokenDataset } from '@ironlaw/contracts/token-dataset'
import { dataOrder, type DocumentPlace, placeOfDocument, samplesOfDocument, stepsThatSaw } from '@ironlaw/data'
import type { CommandAnswer } from '../answer.ts'
import { layoutOf, runData } from './run-data.ts'

export type SeenFlags = { readonly source: string; readonly document: string }

/** Steps that a line of text can hold; `--json` has all. */
const MOST_SHOWN = 20

export async function seenAnswer(idOrName: string, { source, document }: SeenFlags): Promise<CommandAnswer> {
  const { run, artifacts, order, batch, sources } = await runData(idOrName)
  const found = sources.get(source)
  if (!found)
    throw new IronlawError(
      'IL_NOT_FOUND',
      { kind: 'source in the data order', id: source },
      { next: `there are: ${[...sources.keys()].join(', ')}` },
    )
  const place = placeOf(found.dataset, { source, document })
  const layout = await layoutOf(artifacts, found, [{ shard: place.shard, first: place.document, end: place.document + 2 }])
  const samples = samplesOfDocument(place, layout)
  const steps = stepsThatSaw(dataOrder(order), { source, samples, batch, until: (run.step ?? 0) * batch })
  const [first, ...later] = steps
  const laterText =
    later.length === 0 ? '' : `, then at ${later.slice(0, MOST_SHOWN).join(', ')}${later.length > MOST_SHOWN ? ' and later' : ''}`
  return {
    json: { run: run.id, source, document: Number(document), samples, steps },
    text: () =>
      first === undefined
        ? `${run.id} has not seen document ${document} of ${source} up to step ${(run.step ?? 0).toLocaleString('en')}`
        : `${run.id} saw document ${document} of ${source} first at step ${first.toLocaleString('en')}${laterText}`,
  }
}

function placeOf({ documents, shards }: TokenDataset, { source, document }: SeenFlags): DocumentPlace {
  const place = /^\d{1,15}$/.test(document) ? placeOfDocument(shards, Number(document)) : undefined
  if (place) return place
  throw new IronlawError('IL_QUANTITY', {
    name: '--document',
    reason: `"${document}" is not the number of a document of ${source}, which has ${documents.toLocaleString('en')}, counted from 0`,
  })
}
