// Time on one device as data movement, operations and fixed overhead. The additive form is the upper bound, the
// overlapped form the lower one; a real execution lies between them.

import { countOr, law, list, one, or, shareOr } from '../law.ts'
import { pairSum } from '../pairs.ts'
import { AMDAHL, vol1 } from '../sources.ts'

const dataTime = (bytesMoved: number, memoryBandwidth: number): number => bytesMoved / memoryBandwidth
const computeTime = (flops: number, peakFlops: number, efficiency: number): number => flops / (peakFlops * efficiency)

export const trainingTime = law({
  id: 'iron-law/training-time',
  name: 'Time to execute a number of operations',
  decides: 'how long a run takes at a given efficiency',
  is: 'flops / (devices * peakFlops * efficiency)',
  source: `${vol1.introduction}: the compute term of the iron law`,
  validity: 'compute bound, data movement and communication hidden behind it, the same efficiency on every device',
  inputs: { flops: one('FLOP'), devices: countOr(1), peakFlops: one('FLOP/s'), efficiency: shareOr(1) },
  output: 'time',
  unit: 's',
  of: ({ flops, devices = 1, peakFlops, efficiency = 1 }) => flops / (devices * peakFlops * efficiency),
})

export const additive = law({
  id: 'iron-law/additive',
  name: 'Iron law, terms added',
  decides: 'whether bytes, operations or overhead decide the time',
  is: 'bytesMoved / memoryBandwidth + flops / (peakFlops * efficiency) + overhead',
  source: vol1.introduction,
  validity: 'one device, data movement and compute one after the other: an upper bound',
  inputs: {
    bytesMoved: one('B'),
    memoryBandwidth: one('B/s'),
    flops: one('FLOP'),
    peakFlops: one('FLOP/s'),
    efficiency: shareOr(1),
    overhead: or('s', 0),
  },
  output: 'time',
  unit: 's',
  of: ({ bytesMoved, memoryBandwidth, flops, peakFlops, efficiency = 1, overhead = 0 }) =>
    dataTime(bytesMoved, memoryBandwidth) + computeTime(flops, peakFlops, efficiency) + overhead,
  also: {
    dataTime: {
      unit: 's',
      is: 'bytesMoved / memoryBandwidth',
      of: ({ bytesMoved, memoryBandwidth }) => dataTime(bytesMoved, memoryBandwidth),
    },
    computeTime: {
      unit: 's',
      is: 'flops / (peakFlops * efficiency)',
      of: ({ flops, peakFlops, efficiency = 1 }) => computeTime(flops, peakFlops, efficiency),
    },
    dataToCompute: {
      unit: '1',
      is: 'dataTime / computeTime',
      of: ({ bytesMoved, memoryBandwidth, flops, peakFlops, efficiency = 1 }) =>
        dataTime(bytesMoved, memoryBandwidth) / computeTime(flops, peakFlops, efficiency),
    },
    overheadShare: { unit: '1', is: 'overhead / time', of: ({ overhead = 0 }, time) => overhead / time },
  },
})

export const overlapped = law({
  id: 'iron-law/overlapped',
  name: 'Iron law, transfers behind compute',
  decides: 'what prefetching and double buffering can gain over the additive form, at most a factor of two',
  is: 'max(bytesMoved / memoryBandwidth, flops / (peakFlops * efficiency)) + overhead',
  source: vol1.introduction,
  validity: 'steady stream with full overlap of data movement and compute: a lower bound; the overhead is never hidden',
  inputs: {
    bytesMoved: one('B'),
    memoryBandwidth: one('B/s'),
    flops: one('FLOP'),
    peakFlops: one('FLOP/s'),
    efficiency: shareOr(1),
    overhead: or('s', 0),
  },
  output: 'time',
  unit: 's',
  of: ({ bytesMoved, memoryBandwidth, flops, peakFlops, efficiency = 1, overhead = 0 }) =>
    Math.max(dataTime(bytesMoved, memoryBandwidth), computeTime(flops, peakFlops, efficiency)) + overhead,
})

export const componentSpeedup = law({
  id: 'iron-law/component-speedup',
  name: 'Time after speeding up several parts',
  decides: 'what a set of optimizations is worth end to end',
  is: 'baseTime * sum(share * remaining)',
  source: AMDAHL,
  validity: 'the parts run one after the other and their shares cover the whole time',
  holds: ({ share, remaining }) => Math.abs(pairSum([share, remaining], (part) => part) - 1) < 0.01,
  inputs: { baseTime: one('s'), share: list('1', { most: 1 }), remaining: list('1') },
  output: 'newTime',
  unit: 's',
  of: ({ baseTime, share, remaining }) => baseTime * pairSum([share, remaining]),
  also: {
    newRate: { unit: '1/s', is: '1 / newTime', of: (_, newTime) => 1 / newTime },
    speedup: { unit: '1', is: 'baseTime / newTime', of: ({ baseTime }, newTime) => baseTime / newTime },
    firstShare: {
      unit: '1',
      is: 'first(baseTime * share * remaining) / newTime',
      of: ({ baseTime, share, remaining }, newTime) => (baseTime * (share[0] ?? Number.NaN) * (remaining[0] ?? Number.NaN)) / newTime,
    },
  },
})
