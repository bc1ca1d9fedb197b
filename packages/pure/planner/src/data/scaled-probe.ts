// The probe that a larger corpus of the same kind would have given, for plans such as 10 TB on 1,000 cores. Shares
// are kept, which is cautious for storage and optimistic for what is left: a larger corpus repeats itself more.

import type { DataProbe } from '@ironlaw/contracts/data-probe'

/** A corpus smaller than this has smaller units than a large one. */
const UNIT_BYTES = 64e6

export function scaledProbe(probe: DataProbe, stored_bytes: number): DataProbe {
  const { corpus, heavy, steps } = probe
  const factor = stored_bytes / corpus.stored_bytes
  const times = (value: number): number => value * factor
  const whole = (value: number): number => Math.round(value * factor)
  const unit_bytes = Math.min(stored_bytes, Math.max(UNIT_BYTES, corpus.stored_bytes / Math.max(1, corpus.units)))
  return {
    ...probe,
    // The sample is the same, of more clusters.
    share: Math.min(1, probe.share / factor),
    corpus: {
      ...corpus,
      files: whole(corpus.files),
      stored_bytes,
      documents: whole(corpus.documents),
      bytes: times(corpus.bytes),
      units: Math.max(corpus.units, Math.ceil(stored_bytes / unit_bytes)),
      largestUnit_bytes: Math.max(corpus.largestUnit_bytes, unit_bytes),
    },
    heavy: { ...heavy, documents: whole(heavy.documents), bytes: times(heavy.bytes) },
    steps: steps.map((step) => ({
      ...step,
      heavy: {
        documents: times(step.heavy.documents),
        bytes: times(step.heavy.bytes),
        ...(step.heavy.tokens === undefined ? {} : { tokens: times(step.heavy.tokens) }),
      },
    })),
  }
}
