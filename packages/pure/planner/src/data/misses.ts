// What banded MinHash misses and what it drops by mistake, from the similarities of pairs that the probe saw. The probe sees pairs that share
// an anchor, whether bands find them or not, so the histogram does not depend on the bands that are judged.

import type { DataPlan } from '@ironlaw/contracts/data-plan'
import type { DataProbe } from '@ironlaw/contracts/data-probe'
import { explain, explainAlso } from '@ironlaw/laws'
import { minhashFoundPairs } from '@ironlaw/laws/data/deduplication'
import { type Known, quantity } from '@ironlaw/units'

export type BandShape = { readonly bands: number; readonly rows: number }
type Bin = { readonly similarity: number; readonly pairs: number }

export type Misses = NonNullable<DataPlan['prediction']['misses']> & {
  readonly by: { readonly missed: Known<'1'>; readonly falseHits: Known<'1'> }
}

/** Nothing where the spec does not remove near-duplicates. */
export function dedupMisses(probe: DataProbe, threshold: number, shape: BandShape | undefined = probe.duplicates): Misses | undefined {
  if (!shape || !probe.duplicates) return undefined
  const bins = pairBins(probe)
  const alike = bins.filter(({ similarity }) => similarity >= threshold)
  const missed = explainAlso(minhashFoundPairs, lawInput(alike, shape), 'missed')
  const falseHits = explain(
    minhashFoundPairs,
    lawInput(
      bins.filter(({ similarity }) => similarity < threshold),
      shape,
    ),
  )
  return {
    threshold,
    pairs: alike.reduce((sum, { pairs }) => sum + pairs, 0),
    missed: missed.value,
    falseHits: falseHits.value,
    by: { missed, falseHits },
  }
}

/** Pairs of the corpus that these bands find. */
export const foundPairs = (probe: DataProbe, shape: BandShape): number => explain(minhashFoundPairs, lawInput(pairBins(probe), shape)).value

/** By similarity, expanded from the sample to the corpus; a bin stands for its middle. */
function pairBins({ corpus, heavy, sample, duplicates }: DataProbe): readonly Bin[] {
  const counts = duplicates?.pairs ?? []
  const expansion = sample.documents.sum > 0 ? (corpus.documents - heavy.documents) / sample.documents.sum : 0
  return counts.map((pairs, bin) => ({ similarity: (bin + 0.5) / counts.length, pairs: pairs * expansion }))
}

const lawInput = (bins: readonly Bin[], { bands, rows }: BandShape) => ({
  similarity: bins.map(({ similarity }) => count(similarity)),
  pairs: bins.map(({ pairs }) => count(pairs)),
  rowsPerBand: count(rows),
  bands: count(bands),
})

const count = (value: number): Known<'1'> => ({
  value: quantity(value, '1'),
  unit: '1',
  by: { kind: 'source', ref: 'similarities of pairs, expanded from the sample', asOf: 'probe' },
})
