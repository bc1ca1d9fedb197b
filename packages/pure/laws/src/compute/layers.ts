// Parameters and operations of the layers that models are made of. A multiply-accumulate (MAC) is two operations.

import { count, law, maybe, one, or } from '../law.ts'
import { vol1 } from '../sources.ts'

export const denseParams = law({
  id: 'compute/dense-params',
  name: 'Parameters of a dense layer',
  decides: 'how large a layer width a memory budget allows',
  is: 'inputs * outputs + bias * outputs',
  source: vol1.algorithmFoundations,
  validity: 'fully connected; bias 1 with, 0 without bias',
  inputs: { inputs: count, outputs: count, bias: or('1', 1, { most: 1 }) },
  output: 'params',
  unit: '1',
  of: ({ inputs, outputs, bias = 1 }) => inputs * outputs + bias * outputs,
})

export const denseFlops = law({
  id: 'compute/dense-flops',
  name: 'Operations of a dense layer',
  decides: 'what a layer costs per batch',
  is: 'batch * inputs * outputs',
  source: vol1.algorithmFoundations,
  validity: 'forward pass of a matrix product; bias and activation not counted',
  inputs: { batch: or('1', 1, { least: 1 }), inputs: count, outputs: count },
  output: 'macs',
  unit: '1',
  of: ({ batch = 1, inputs, outputs }) => batch * inputs * outputs,
  also: { flops: { unit: 'FLOP', is: '2 * macs', of: (_, macs) => 2 * macs } },
})

export const convParams = law({
  id: 'compute/conv-params',
  name: 'Parameters of a convolution',
  decides: 'what a kernel size and a number of channels cost in memory',
  is: 'kernel ^ 2 * inChannels * outChannels',
  source: vol1.algorithmFoundations,
  validity: 'square kernel, no groups, no bias',
  inputs: { kernel: count, inChannels: count, outChannels: count },
  output: 'params',
  unit: '1',
  of: ({ kernel, inChannels, outChannels }) => kernel ** 2 * inChannels * outChannels,
})

export const depthwiseSeparable = law({
  id: 'compute/depthwise-separable',
  name: 'Cost of a depthwise-separable convolution against a full one',
  decides: 'whether a mobile block saves enough to replace a convolution',
  is: '1 / outChannels + 1 / kernel ^ 2',
  source: 'A. G. Howard et al., MobileNets: Efficient Convolutional Neural Networks for Mobile Vision Applications, 2017, section 3.1',
  validity: 'parameters and operations alike; time saves less, for the depthwise part has low intensity',
  inputs: { kernel: count, outChannels: count, inChannels: maybe('1', { least: 1 }) },
  output: 'costRatio',
  unit: '1',
  of: ({ kernel, outChannels }) => 1 / outChannels + 1 / kernel ** 2,
  also: {
    reduction: { unit: '1', is: '1 / costRatio', of: (_, costRatio) => 1 / costRatio },
    standardParams: {
      unit: '1',
      is: 'kernel ^ 2 * inChannels * outChannels',
      of: ({ kernel, outChannels, inChannels = Number.NaN }) => kernel ** 2 * inChannels * outChannels,
    },
    separableParams: {
      unit: '1',
      is: 'kernel ^ 2 * inChannels + inChannels * outChannels',
      of: ({ kernel, outChannels, inChannels = Number.NaN }) => kernel ** 2 * inChannels + inChannels * outChannels,
    },
  },
})

export const attentionMacs = law({
  id: 'compute/attention-macs',
  name: 'Multiply-accumulates of the attention scores',
  decides: 'at which context the quadratic part of attention takes over',
  is: 'heads * seqLen ^ 2 * headDim',
  source: 'A. Vaswani et al., Attention Is All You Need, NeurIPS 2017',
  validity:
    'full attention per sequence and layer, forward pass; weighting the values takes as many again; a causal kernel that skips masked tiles does half',
  inputs: { seqLen: one('token', { least: 1 }), headDim: count, heads: or('1', 1, { least: 1 }) },
  output: 'scoreMacs',
  unit: '1',
  of: ({ seqLen, headDim, heads = 1 }) => heads * seqLen ** 2 * headDim,
})

type Tokens = { readonly batch: number; readonly seqLen: number; readonly hidden: number }

const perSquare = ({ batch, seqLen, hidden }: Tokens): number => batch * seqLen * hidden ** 2
const scoreFlops = ({ batch, seqLen, hidden }: Tokens): number => 2 * batch * seqLen ** 2 * hidden

// The book's total for GPT-2 XL omits the output projection; it is counted here unless switched off.
export const transformerLayerFlops = law({
  id: 'compute/transformer-layer-flops',
  name: 'Forward operations of a transformer layer',
  decides: 'which part of a layer dominates as context and width grow',
  is: '(6 + 2 * outputProjection + 4 * expansion) * batch * seqLen * hidden ^ 2 + 4 * batch * seqLen ^ 2 * hidden',
  source: vol1.modelTraining,
  validity: 'multi-head attention without shared key-value heads, feed-forward of two matrices; norms and softmax not counted',
  inputs: {
    batch: or('1', 1, { least: 1 }),
    seqLen: one('token', { least: 1 }),
    hidden: count,
    outputProjection: or('1', 1, { most: 1 }),
    expansion: or('1', 4),
  },
  output: 'layerFlops',
  unit: 'FLOP',
  of: ({ batch = 1, seqLen, hidden, outputProjection = 1, expansion = 4 }) =>
    (6 + 2 * outputProjection + 4 * expansion) * perSquare({ batch, seqLen, hidden }) + 2 * scoreFlops({ batch, seqLen, hidden }),
  also: {
    qkvFlops: {
      unit: 'FLOP',
      is: '6 * batch * seqLen * hidden ^ 2',
      of: ({ batch = 1, seqLen, hidden }) => 6 * perSquare({ batch, seqLen, hidden }),
    },
    scoreFlops: {
      unit: 'FLOP',
      is: '2 * batch * seqLen ^ 2 * hidden',
      of: ({ batch = 1, seqLen, hidden }) => scoreFlops({ batch, seqLen, hidden }),
    },
    valueFlops: { unit: 'FLOP', is: 'scoreFlops', of: ({ batch = 1, seqLen, hidden }) => scoreFlops({ batch, seqLen, hidden }) },
    outputProjectionFlops: {
      unit: 'FLOP',
      is: '2 * outputProjection * batch * seqLen * hidden ^ 2',
      of: ({ batch = 1, seqLen, hidden, outputProjection = 1 }) => 2 * outputProjection * perSquare({ batch, seqLen, hidden }),
    },
    ffnFlops: {
      unit: 'FLOP',
      is: '4 * expansion * batch * seqLen * hidden ^ 2',
      of: ({ batch = 1, seqLen, hidden, expansion = 4 }) => 4 * expansion * perSquare({ batch, seqLen, hidden }),
    },
  },
})

export const moeActiveParams = law({
  id: 'compute/moe-active-params',
  name: 'Active parameters of a mixture of experts',
  decides: 'the compute per token of a sparse model',
  is: 'sharedParams + (params - sharedParams) * activeExperts / experts',
  source: 'N. Shazeer et al., Outrageously Large Neural Networks: The Sparsely-Gated Mixture-of-Experts Layer, ICLR 2017',
  validity: 'experts of equal size; without shared parameters the attention layers are counted as experts and the result is too small',
  holds: ({ activeExperts, experts, params, sharedParams = 0 }) => activeExperts <= experts && sharedParams <= params,
  inputs: { params: count, activeExperts: count, experts: count, sharedParams: or('1', 0) },
  output: 'activeParams',
  unit: '1',
  of: ({ params, activeExperts, experts, sharedParams = 0 }) => sharedParams + ((params - sharedParams) * activeExperts) / experts,
})

export const resolutionScaling = law({
  id: 'compute/resolution-scaling',
  name: 'Growth of work and activations with image size',
  decides: 'which input resolution a latency or memory budget allows',
  is: '(newSize / oldSize) ^ 2',
  source: vol1.modelServing,
  validity: 'convolutional network on square images; attention over patches grows with the fourth power',
  inputs: { oldSize: count, newSize: count, baseBytes: maybe('B') },
  output: 'ratio',
  unit: '1',
  of: ({ oldSize, newSize }) => (newSize / oldSize) ** 2,
  also: { bytes: { unit: 'B', is: 'baseBytes * ratio', of: ({ baseBytes = Number.NaN }, ratio) => baseBytes * ratio } },
})
