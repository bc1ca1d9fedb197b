import { count, countOr, composite, law, one, or, shareOr } from '../law.ts'

export const trainingTime = law({
  id: 'iron-law/training-time',
  name: 'Time to execute a number of operations',
  decides: 'how long a run takes at a given efficiency',
  is: 'flops / (devices * peakFlops * efficiency)',
  source: 'Machine Learning Systems vol. 1, Introduction: the compute term of the iron law',
  validity: 'compute bound, the same efficiency on every device',
  inputs: { flops: one('FLOP'), devices: countOr(1), peakFlops: one('FLOP/s'), efficiency: shareOr(1) },
  output: 'time',
  unit: 's',
  of: ({ flops, devices = 1, peakFlops, efficiency = 1 }) => flops / (devices * peakFlops * efficiency),
})

export const trainingFlops = law({
  id: 'compute/training-flops',
  name: 'Operations of a training run',
  decides: 'how much compute a model and a data set need',
  is: '6 * params * tokens',
  source: 'Kaplan et al., Scaling Laws for Neural Language Models, 2020, section 2.1',
  validity: 'dense decoder; attention over the context adds more when the sequence is long against 6 hidden sizes',
  inputs: { params: count, tokens: one('token') },
  output: 'flops',
  unit: 'FLOP',
  of: ({ params, tokens }) => 6 * params * tokens,
})

export const runTime = composite({
  id: 'compute/training-time',
  name: 'Time to train a dense model',
  decides: 'when a training run ends',
  is: '6 * params * tokens / (devices * peakFlops * efficiency)',
  source: 'Kaplan et al., 2020',
  validity: 'dense decoder, failures and start-up not counted',
  inputs: { params: count, tokens: one('token'), devices: count, peakFlops: one('FLOP/s'), efficiency: shareOr(1) },
  output: 'time',
  unit: 's',
  via: ({ params, tokens, devices, peakFlops, efficiency }, apply) =>
    apply(trainingTime, { flops: apply(trainingFlops, { params, tokens }), devices, peakFlops, efficiency }),
})

export const additive = law({
  id: 'iron-law/additive',
  name: 'Iron law, terms added',
  decides: 'whether bytes, operations or overhead decide the time',
  is: 'bytesMoved / memoryBandwidth + flops / (peakFlops * efficiency) + overhead',
  source: 'Machine Learning Systems vol. 1, Introduction',
  validity: 'no overlap of data movement and compute: an upper bound',
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
    bytesMoved / memoryBandwidth + flops / (peakFlops * efficiency) + overhead,
  also: {
    dataTime: { unit: 's', is: 'bytesMoved / memoryBandwidth', of: ({ bytesMoved, memoryBandwidth }) => bytesMoved / memoryBandwidth },
    overheadShare: { unit: '1', is: 'overhead / time', of: ({ overhead = 0 }, time) => overhead / time },
  },
})
