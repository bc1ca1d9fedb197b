// From a model and a data set to operations, time, devices; and back from devices and time to tokens.

import { composite, count, law, one, or, shareOr } from '../law.ts'
import { trainingTime } from '../iron-law/iron-law.ts'
import { wholeUp } from '../whole.ts'

const KAPLAN = 'J. Kaplan et al., Scaling Laws for Neural Language Models, 2020, section 2.1'

export const trainingFlops = law({
  id: 'compute/training-flops',
  name: 'Operations of a training run',
  decides: 'how much compute a model and a data set need',
  is: '6 * params * tokens',
  source: KAPLAN,
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
  source: KAPLAN,
  validity: 'dense decoder; failures, checkpoints and start-up not counted; the dense peak of the precision in use',
  inputs: { params: count, tokens: one('token'), devices: count, peakFlops: one('FLOP/s'), efficiency: shareOr(1) },
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
  source: KAPLAN,
  validity: 'dense decoder, the same efficiency at every scale, failures not counted: a lower bound',
  inputs: { params: count, tokens: one('token'), peakFlops: one('FLOP/s'), efficiency: shareOr(1), deadline: one('s') },
  output: 'devices',
  unit: '1',
  of: ({ params, tokens, peakFlops, efficiency = 1, deadline }) => wholeUp((6 * params * tokens) / (peakFlops * efficiency * deadline)),
  also: {
    deviceTime: {
      unit: 's',
      is: '6 * params * tokens / (peakFlops * efficiency)',
      of: ({ params, tokens, peakFlops, efficiency = 1 }) => (6 * params * tokens) / (peakFlops * efficiency),
    },
  },
})

export const tokensAffordable = law({
  id: 'compute/tokens-affordable',
  name: 'Tokens a reservation can train on',
  decides: 'how large a data set a cluster and a time allow',
  is: 'devices * peakFlops * efficiency * time / (6 * params)',
  source: KAPLAN,
  validity: 'dense decoder, failures and start-up not counted: an upper bound',
  inputs: { devices: count, peakFlops: one('FLOP/s'), efficiency: shareOr(1), time: one('s'), params: count },
  output: 'tokens',
  unit: 'token',
  of: ({ devices, peakFlops, efficiency = 1, time, params }) => (devices * peakFlops * efficiency * time) / (6 * params),
})

export const trainingStepFlops = law({
  id: 'compute/training-step-flops',
  name: 'Operations of a training step',
  decides: 'what one optimizer step costs, from the forward operations of a layer',
  is: '3 * layers * layerFlops',
  source: 'Machine Learning Systems vol. 1, Model Training (V. J. Reddi et al.)',
  validity: 'equal layers, backward pass twice the forward pass, no recomputation; embedding and output head not counted',
  inputs: { layers: count, layerFlops: one('FLOP'), steps: or('1', 1) },
  output: 'stepFlops',
  unit: 'FLOP',
  of: ({ layers, layerFlops }) => 3 * layers * layerFlops,
  also: { totalFlops: { unit: 'FLOP', is: 'steps * stepFlops', of: ({ steps = 1 }, stepFlops) => steps * stepFlops } },
})

export const iterationsPerEpoch = law({
  id: 'compute/iterations-per-epoch',
  name: 'Iterations of an epoch',
  decides: 'the length of schedules for learning rate, evaluation and checkpoints',
  is: 'ceil(samples / batch)',
  source: 'Machine Learning Systems vol. 1, Neural Computation (V. J. Reddi et al.)',
  validity: 'every sample once, the last batch kept even when short',
  inputs: { samples: one('1'), batch: count },
  output: 'iterations',
  unit: '1',
  of: ({ samples, batch }) => wholeUp(samples / batch),
})
