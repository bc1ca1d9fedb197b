// From a step to the documents that it was trained on, and from a document to the steps that saw it.

import type { Order, Placed } from './data-order.ts'
import {
  type DocumentIndex,
  documentsOf,
  piecesOf,
  positionsOfStep,
  samplesOfTokens,
  stepOfPosition,
  tokensOfSample,
} from './token-ranges.ts'

export type TokenLayout = { readonly sequence: number; readonly shards: readonly (DocumentIndex & { readonly tokens: number })[] }

/** A document by its number in a shard, as the index of that shard counts. */
export type DocumentPlace = { readonly shard: number; readonly document: number }

export function samplesOfStep(
  order: Order,
  { step, batch }: { readonly step: number; readonly batch: number },
): readonly (Placed & { readonly position: number })[] {
  const { start, end } = positionsOfStep(step, batch)
  const positions = Array.from({ length: end - start }, (_, index) => start + index)
  return positions.flatMap((position) => {
    const placed = order.at(position)
    return placed === undefined ? [] : [{ position, ...placed }]
  })
}

export function documentsOfSample(sample: number, { sequence, shards }: TokenLayout): readonly DocumentPlace[] {
  const pieces = piecesOf(
    tokensOfSample(sample, sequence),
    shards.map(({ tokens }) => tokens),
  )
  return pieces.flatMap((piece) => {
    const index = shards[piece.shard]
    if (index === undefined) return []
    const { first, end } = documentsOf(piece, index)
    return Array.from({ length: end - first }, (_, nth) => ({ shard: piece.shard, document: first + nth }))
  })
}

export function samplesOfDocument(
  { shard, document }: DocumentPlace,
  { sequence, shards }: TokenLayout,
): { readonly first: number; readonly end: number } {
  const index = shards[shard]
  if (index === undefined || document < 0 || document >= index.documents) throw new RangeError(`shard ${shard} has no document ${document}`)
  const sum = (parts: TokenLayout['shards']): number => parts.reduce((total, { tokens }) => total + tokens, 0)
  const before = sum(shards.slice(0, shard))
  const range = { start: before + index.offsetAt(document), end: before + index.offsetAt(document + 1) }
  return samplesOfTokens(range, { tokens: sum(shards), sequence })
}

export type SightingQuery = {
  readonly source: string
  /** As `samplesOfDocument` gives them. */
  readonly samples: { readonly first: number; readonly end: number }
  readonly batch: number
  /** Positions that the run has reached; later ones are not looked at. */
  readonly until: number
}

/** Steps that trained on any of these samples, in order. */
export function stepsThatSaw(order: Order, { source, samples, batch, until }: SightingQuery): readonly number[] {
  const steps = new Set<number>()
  for (let sample = samples.first; sample < samples.end; sample += 1)
    for (const position of order.positionsOf(source, sample)) {
      if (position >= until) break
      steps.add(stepOfPosition(position, batch))
    }
  return [...steps].toSorted((a, b) => a - b)
}
