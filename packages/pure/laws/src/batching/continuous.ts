// What continuous batching gains over batches that end with their longest member. Three models of that gain disagree; each
// is kept as what it is, and only a simulation over the real lengths settles the matter.

import { law, list, one } from '../law.ts'
import { vol2 } from '../sources.ts'

const ORCA = 'G.-I. Yu et al., Orca: A Distributed Serving System for Transformer-Based Generative Models, OSDI 2022'

export const slotWaste = law({
  id: 'batching/slot-waste',
  name: 'Slots wasted by padding',
  decides: 'whether lengths differ enough to leave static batches',
  is: '1 - usedTokens / paddedTokens',
  source: vol2.inferenceAtScale,
  validity: 'every sequence of the batch is held until the longest one ends; usedTokens is the mean over the batch',
  holds: ({ usedTokens, paddedTokens }) => usedTokens <= paddedTokens,
  inputs: { usedTokens: one('token'), paddedTokens: one('token') },
  output: 'waste',
  unit: '1',
  of: ({ usedTokens, paddedTokens }) => 1 - usedTokens / paddedTokens,
})

export const speedupFromWaste = law({
  id: 'batching/speedup-from-waste',
  name: 'Speedup of continuous batching from the waste it removes',
  decides: 'how much throughput continuous batching brings back',
  is: '1 / (1 - waste)',
  source: vol2.inferenceAtScale,
  validity: 'all waste is removed and nothing else limits: an upper bound',
  holds: ({ waste }) => waste < 1,
  inputs: { waste: one('1', { most: 1 }) },
  output: 'speedup',
  unit: '1',
  of: ({ waste }) => 1 / (1 - waste),
})

export const continuousGainByVariance = law({
  id: 'batching/continuous-gain-cv2',
  name: 'Gain of continuous batching from the spread of lengths, by variance',
  decides: 'whether the spread of output lengths makes continuous batching worth it',
  is: '1 + cv^2 / 2',
  source: vol2.inferenceAtScale,
  validity: 'a first estimate; below the gain that the removed waste allows for the usual spreads',
  inputs: { cv: one('1') },
  output: 'gain',
  unit: '1',
  of: ({ cv }) => 1 + (cv * cv) / 2,
})

// The chapter's table next to this rule follows 1 / (1 - waste) instead.
export const continuousGainByLongest = law({
  id: 'batching/continuous-gain-kcv',
  name: 'Gain of continuous batching from the spread of lengths, by the longest',
  decides: 'how far the longest sequence of a batch exceeds the mean',
  is: '1 + k * cv',
  source: vol2.inferenceAtScale,
  validity: 'the longest sequence lies k standard deviations above the mean, k about 2 to 3 for the usual batches: an optimistic estimate',
  inputs: { cv: one('1'), k: one('1') },
  output: 'gain',
  unit: '1',
  of: ({ cv, k }) => 1 + k * cv,
})

export const staticVersusContinuous = law({
  id: 'batching/static-vs-continuous',
  name: 'Mean completion time, static against continuous batching',
  decides: 'how much sooner the short requests of a batch end',
  is: '1 - mean(length) / max(length)',
  source: `${ORCA}; ${vol2.inferenceAtScale}`,
  validity: 'the same time for every iteration whatever the batch; every request in the batch from the start',
  inputs: { length: list('token'), iterationTime: one('s') },
  output: 'reduction',
  unit: '1',
  of: ({ length }) => 1 - mean(length) / Math.max(...length),
  also: {
    staticTime: { unit: 's', is: 'max(length) * iterationTime', of: ({ length, iterationTime }) => Math.max(...length) * iterationTime },
    continuousMean: { unit: 's', is: 'mean(length) * iterationTime', of: ({ length, iterationTime }) => mean(length) * iterationTime },
  },
})

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
