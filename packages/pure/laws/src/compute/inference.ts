// Operations and compute time of generated or read tokens. Compare with the time to stream the weights before trusting either.

import { composite, count, countOr, law, one, or, shareOr } from '../law.ts'
import { trainingTime } from '../iron-law/iron-law.ts'
import { KAPLAN } from '../sources.ts'

const FORWARD = `${KAPLAN}, section 2.1: two operations per parameter and token`

export const inferenceFlops = law({
  id: 'compute/inference-flops',
  name: 'Operations of a forward pass',
  decides: 'how much compute answering takes',
  is: '2 * params * tokens',
  source: FORWARD,
  validity: 'dense decoder, short context; of a mixture of experts count the active parameters',
  inputs: { params: count, tokens: or('token', 1) },
  output: 'flops',
  unit: 'FLOP',
  of: ({ params, tokens = 1 }) => 2 * params * tokens,
})

export const tokenComputeTime = composite({
  id: 'compute/token-compute-time',
  name: 'Compute time of tokens',
  decides: 'whether arithmetic or the reading of weights holds a decoder',
  is: '2 * params * tokens / (devices * peakFlops * efficiency)',
  source: FORWARD,
  validity: 'arithmetic alone; at small batch reading the weights takes far longer',
  inputs: { params: count, tokens: or('token', 1), devices: countOr(1), peakFlops: one('FLOP/s'), efficiency: shareOr(1) },
  output: 'computeTime',
  unit: 's',
  via: ({ params, tokens, devices, peakFlops, efficiency }, apply) =>
    apply(trainingTime, { flops: apply(inferenceFlops, { params, tokens }), devices, peakFlops, efficiency }),
})
