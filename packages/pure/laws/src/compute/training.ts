// From a model and a data set to operations, time, devices; and back from devices and time to tokens.

import { composite, count, law, one, or, share } from '../law.ts'
import { trainingTime } from '../iron-law/iron-law.ts'
import { KAPLAN, vol1 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

const OPERATIONS = `${KAPLAN}, section 2.1`

export const trainingFlops = law({
  id: 'compute/training-flops',
  name: 'Operations of a training run',
  decides: 'how much compute a model and a data set need',
  is: '6 * params * tokens',
  source: OPERATIONS,
  validity: 'dense decoder; attention over the context adds more when the sequence is long against 6 hidden sizes',
  inputs: { params: count, tokens: one('token') },
  output: 'flops',
  unit: 'FLOP',
  of: ({ params, tokens }) => 6 * params * tokens,
})

export const modelTrainingTime = composite({
  id: 'compute/training-time',
  name: 'Time to train a dense model',
  decides: 'when a training run ends',
  is: '6 * params * tokens / (devices * peakFlops * efficiency)',
  source: OPERATIONS,
  validity: 'dense decoder; failures, checkpoints and start-up not counted; the dense peak of the precision in use',
  inputs: { params: count, tokens: one('token'), devices: count, peakFlops: one('FLOP/s'), efficiency: share },
  output: 'time',
  unit: 's',
  via: ({ params, tokens, devices, peakFlops, efficiency }, apply) =>
    apply(trainingTime, { flops: apply(trainingFlops, { params, tokens }), devices, peakFlops, efficiency }),
})

export const devicesForDeadline = law({
  id: 'compute/devices-for-deadline',
  name: 'Devices that finish a run by a deadline',
  decides: 'how many devices to reserve for a training run',
  is: 'ceil(6 * params * tokens / (peakFlops * efficiency * deadline))',
  source: OPERATIONS,
  validity: 'dense decoder, the same efficiency at every scale, failures not counted: a lower bound',
  inputs: { params: count, tokens: one('token'), peakFlops: one('FLOP/s'), efficiency: share, deadline: one('s') },
  output: 'devices',
  unit: '1',
  of: ({ params, tokens, peakFlops, efficiency, deadline }) => tolerantCeil((6 * params * tokens) / (peakFlops * efficiency * deadline)),
  also: {
    deviceTime: {
      unit: 's',
      is: '6 * params * tokens / (peakFlops * efficiency)',
      of: ({ params, tokens, peakFlops, efficiency }) => (6 * params * tokens) / (peakFlops * efficiency),
    },
  },
})

export const tokensAffordable = law({
  id: 'compute/tokens-affordable',
  name: 'Tokens a reservation can train on',
  decides: 'how large a data set a cluster and a time allow',
  is: 'devices * peakFlops * efficiency * time / (6 * params)',
  source: OPERATIONS,
  validity: 'dense decoder, failures and start-up not counted: an upper bound',
  inputs: { devices: count, peakFlops: one('FLOP/s'), efficiency: share, time: one('s'), params: count },
  output: 'tokens',
  unit: 'token',
  of: ({ devices, peakFlops, efficiency, time, params }) => (devices * peakFlops * efficiency * time) / (6 * params),
})

export const trainingStepFlops = law({
  id: 'compute/training-step-flops',
  name: 'Operations of a training step',
  decides: 'what one optimizer step costs, from the forward operations of a layer',
  is: '3 * layers * layerFlops',
  source: vol1.modelTraining,
  validity: 'equal layers, backward pass twice the forward pass, no recomputation; embedding and output head not counted',
  inputs: { layers: count, layerFlops: one('FLOP'), steps: or('1', 1) },
  output: 'stepFlops',
  unit: 'FLOP',
  of: ({ layers, layerFlops }) => 3 * layers * layerFlops,
  also: { totalFlops: { unit: 'FLOP', is: 'steps * stepFlops', of: ({ steps = 1 }, stepFlops) => steps * stepFlops } },
})
