// Compressing what is communicated: it buys link time and pays with codec time and, for lossy codes, with more steps.

import { count, countOr, law, list, one, or } from '../law.ts'
import { THAKUR, vol2 } from '../sources.ts'

const atLeastOne = one('1', { least: 1 })

export const topKRatio = law({
  id: 'compression/topk-ratio',
  name: 'Compression by sending the largest gradients only',
  decides: 'how much traffic top-k sparsification saves once indices are sent too',
  is: 'denseBytes / (keptFraction * (valueBytes + indexBytes))',
  source: 'A. F. Aji and K. Heafield, Sparse Communication for Distributed Gradient Descent, EMNLP 2017',
  validity: 'every kept value travels with its own index; shrinks the message only while the ratio is above one',
  holds: ({ keptFraction, denseBytes, valueBytes, indexBytes }) => keptFraction * (valueBytes + indexBytes) < denseBytes,
  inputs: { keptFraction: one('1', { most: 1 }), denseBytes: one('B'), valueBytes: one('B'), indexBytes: one('B') },
  output: 'ratio',
  unit: '1',
  of: ({ keptFraction, denseBytes, valueBytes, indexBytes }) => denseBytes / (keptFraction * (valueBytes + indexBytes)),
})

export const codecBudget = law({
  id: 'compression/codec-budget',
  name: 'Time a codec may take',
  decides: 'whether compressing a transfer pays at all',
  is: 'communicationTime * (1 - 1 / ratio)',
  source: `${vol2.collectiveCommunication}; ${vol2.communicationFoundations}`,
  validity: 'transfer time proportional to the bytes sent; neither codec nor transfer hidden behind compute',
  inputs: { communicationTime: one('s'), ratio: atLeastOne },
  output: 'budget',
  unit: 's',
  of: ({ communicationTime, ratio }) => communicationTime * (1 - 1 / ratio),
})

export const codecSpeedup = law({
  id: 'compression/codec-speedup',
  name: 'Transfer time with a codec',
  decides: 'what a compressed transfer gains after its codec is paid',
  is: 'communicationTime / ratio + codecTime',
  source: `H. Tang et al., 1-bit Adam, ICML 2021; ${vol2.collectiveCommunication}`,
  validity: 'transfer time proportional to the bytes sent; codec and transfer run one after the other',
  inputs: { communicationTime: one('s'), ratio: atLeastOne, codecTime: one('s') },
  output: 'newTime',
  unit: 's',
  of: ({ communicationTime, ratio, codecTime }) => communicationTime / ratio + codecTime,
  also: {
    speedup: { unit: '1', is: 'communicationTime / newTime', of: ({ communicationTime }, newTime) => communicationTime / newTime },
  },
})

export const compressedRing = law({
  id: 'compression/ring-compressed',
  name: 'Ring all-reduce of compressed gradients',
  decides: 'how far compression helps before latency takes over',
  is: '2 * (devices - 1) / devices * bytes / ratio / linkBandwidth + 2 * (devices - 1) * latency + codecTime',
  source: THAKUR,
  validity: 'compressed messages can be reduced along the ring without growing; the latency term does not shrink with the payload',
  inputs: { devices: count, bytes: one('B'), linkBandwidth: one('B/s'), latency: or('s', 0), ratio: atLeastOne, codecTime: or('s', 0) },
  output: 'total',
  unit: 's',
  of: ({ devices, bytes, linkBandwidth, latency = 0, ratio, codecTime = 0 }) =>
    ringTime({ devices, bytes: bytes / ratio, linkBandwidth, latency }) + codecTime,
  also: {
    communicationTime: { unit: 's', is: 'total - codecTime', of: ({ codecTime = 0 }, total) => total - codecTime },
    speedup: {
      unit: '1',
      is: '(2 * (devices - 1) / devices * bytes / linkBandwidth + 2 * (devices - 1) * latency) / total',
      of: ({ devices, bytes, linkBandwidth, latency = 0 }, total) => ringTime({ devices, bytes, linkBandwidth, latency }) / total,
    },
  },
})

export const compressedTraining = law({
  id: 'compression/end-to-end',
  name: 'Training time with compressed communication',
  decides: 'whether faster steps make up for the extra steps',
  is: 'steps * (1 + stepPenalty) * (computeTime + communicationTime / ratio)',
  source: vol2.collectiveCommunication,
  validity: 'communication not overlapped with compute, codec time neglected, step penalty measured at equal final quality',
  inputs: { steps: countOr(1), computeTime: one('s'), communicationTime: one('s'), ratio: atLeastOne, stepPenalty: or('1', 0) },
  output: 'compressed',
  unit: 's',
  of: ({ steps = 1, computeTime, communicationTime, ratio, stepPenalty = 0 }) =>
    steps * (1 + stepPenalty) * (computeTime + communicationTime / ratio),
  also: {
    baseline: {
      unit: 's',
      is: 'steps * (computeTime + communicationTime)',
      of: ({ steps = 1, computeTime, communicationTime }) => steps * (computeTime + communicationTime),
    },
    change: {
      unit: '1',
      is: 'compressed / (steps * (computeTime + communicationTime)) - 1',
      of: ({ steps = 1, computeTime, communicationTime }, compressed) => compressed / (steps * (computeTime + communicationTime)) - 1,
    },
    highestPenalty: {
      unit: '1',
      is: '(computeTime + communicationTime) / (computeTime + communicationTime / ratio) - 1',
      of: ({ computeTime, communicationTime, ratio }) => (computeTime + communicationTime) / (computeTime + communicationTime / ratio) - 1,
    },
  },
})

export const errorFeedback = law({
  id: 'compression/error-feedback',
  name: 'Error feedback',
  decides: 'whether a lossy gradient code loses small gradients or only delays them',
  is: 'text: round each gradient plus the error left so far, send it, carry the new error on; the sum of what was sent',
  source:
    'F. Seide et al., 1-Bit Stochastic Gradient Descent, Interspeech 2014; S. P. Karimireddy et al., Error Feedback Fixes SignSGD, ICML 2019',
  validity: 'gradients in units of the code step, rounded to the nearest whole step, halves up',
  inputs: { gradient: list('1', { least: -Infinity }) },
  output: 'transmittedSum',
  unit: '1',
  of: ({ gradient }) => {
    let sent = 0
    let error = 0
    for (const step of gradient) {
      const code = Math.floor(step + error + 0.5)
      error += step - code
      sent += code
    }
    return sent
  },
  also: {
    residual: {
      unit: '1',
      is: 'sum(gradient) - transmittedSum',
      of: ({ gradient }, transmittedSum) => gradient.reduce((sum, step) => sum + step, 0) - transmittedSum,
    },
  },
})

type Ring = { readonly devices: number; readonly bytes: number; readonly linkBandwidth: number; readonly latency: number }

const ringTime = ({ devices, bytes, linkBandwidth, latency }: Ring): number =>
  ((2 * (devices - 1)) / devices) * (bytes / linkBandwidth) + 2 * (devices - 1) * latency
