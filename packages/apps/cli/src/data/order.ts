// `ironlaw data order`: one phase over token datasets of this machine. Phases of a curriculum are added by hand.

import { join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import { DATA_ORDER_FILE, type DataOrder, parseDataOrder } from '@ironlaw/contracts/data-order'
import { parseTokenDataset, TOKEN_DATASET_FILE, tokenDatasetDigest } from '@ironlaw/contracts/token-dataset'
import type { CommandAnswer } from '../answer.ts'
import { readDocument } from '../input-file.ts'
import { wholeNumber } from '../whole-number.ts'

type Source = { readonly name: string; readonly directory: string; readonly weight: number }

export function orderAnswer(written: readonly string[], { seed }: { readonly seed: string }): CommandAnswer {
  const sources = written.map(sourceOf).map(({ name, directory, weight }) => {
    const file = join(directory, TOKEN_DATASET_FILE)
    const dataset = parseTokenDataset(readDocument(file), file)
    return { name, weight, samples: dataset.samples, digest: tokenDatasetDigest(dataset) }
  })
  const order: DataOrder = parseDataOrder(
    {
      apiVersion: 'ironlaw/v1',
      kind: 'DataOrder',
      seed: wholeNumber('--seed', seed),
      sources: sources.map(({ name, samples, digest }) => ({ name, samples, digest })),
      phases: [{ sources: sources.map(({ name, weight }) => ({ source: name, weight })) }],
    },
    DATA_ORDER_FILE,
  )
  return { json: order, text: () => JSON.stringify(order, undefined, 2) }
}

function sourceOf(written: string): Source {
  const [, name, directory, weight = '1'] = /^([^=]+)=(.+?)(?::(\d+))?$/.exec(written) ?? []
  if (name === undefined || directory === undefined)
    throw new IronlawError('IL_USAGE', { problem: `"${written}" is not NAME=DIRECTORY or NAME=DIRECTORY:WEIGHT`, command: 'data order' })
  return { name, directory, weight: Number(weight) }
}
