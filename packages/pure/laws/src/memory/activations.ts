// Activations kept for the backward pass, and the trade of memory for recomputation.

import { count, law, one, or } from '../law.ts'
import { vol1 } from '../sources.ts'

// The book takes factor 8 in one chapter and 12 in another. 17 is the full count (34 bytes at two per value) of
// V. Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, 2022.
export const transformerActivations = law({
  id: 'memory/transformer-activations',
  name: 'Activation memory of a transformer',
  decides: 'which batch and context fit beside the training state',
  is: 'layers * (factor * batch * seqLen * hidden * bytesPerValue + extraPerLayer)',
  source: vol1.modelTraining,
  validity: 'no recomputation, score matrix never stored; factor is the number of stored values per token and hidden unit',
  inputs: {
    layers: count,
    factor: one('1'),
    batch: count,
    seqLen: one('token', { least: 1 }),
    hidden: count,
    bytesPerValue: one('B'),
    extraPerLayer: or('B', 0),
  },
  output: 'bytes',
  unit: 'B',
  of: ({ layers, factor, batch, seqLen, hidden, bytesPerValue, extraPerLayer = 0 }) =>
    layers * (factor * batch * seqLen * hidden * bytesPerValue + extraPerLayer),
  also: { bytesPerLayer: { unit: 'B', is: 'bytes / layers', of: ({ layers }, bytes) => bytes / layers } },
})

const segments = (layers: number): number => Math.round(Math.sqrt(layers))

export const activationCheckpointing = law({
  id: 'memory/activation-checkpointing',
  name: 'Layers kept under activation checkpointing',
  decides: 'whether recomputation frees enough memory for about a third more compute',
  is: 'segments + layers / segments',
  source: 'T. Chen, B. Xu, C. Zhang, C. Guestrin, Training Deep Nets with Sublinear Memory Cost, 2016',
  validity: 'equal layers in equal segments, one segment recomputed at a time; up to four layers it saves nothing',
  holds: ({ layers }) => layers > 4,
  inputs: { layers: count },
  output: 'storedLayers',
  unit: '1',
  of: ({ layers }) => segments(layers) + layers / segments(layers),
  also: {
    segments: { unit: '1', is: 'round(sqrt(layers))', of: ({ layers }) => segments(layers) },
    saving: { unit: '1', is: '1 - storedLayers / layers', of: ({ layers }, storedLayers) => 1 - storedLayers / layers },
  },
})
