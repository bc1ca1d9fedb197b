// The score matrix of attention: what storing it takes, what moving it costs, and what tiling saves.

import { count, law, one, or } from '../law.ts'

const FLASH =
  'T. Dao, D. Y. Fu, S. Ermon, A. Rudra, C. Re, FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness, NeurIPS 2022'

const factor = or('1', 1, { least: 1 })
const sequence = one('token', { least: 1 })

export const attentionScores = law({
  id: 'memory/attention-scores',
  name: 'Memory of the attention scores',
  decides: 'up to which context attention may store its score matrix',
  is: 'seqLen ^ 2 * heads * layers * batch * bytesPerValue',
  source: 'Machine Learning Systems vol. 1, Network Architectures (V. J. Reddi et al.)',
  validity: 'attention that stores the full matrix; a tiled kernel never does',
  inputs: { seqLen: sequence, heads: factor, layers: factor, batch: factor, bytesPerValue: one('B') },
  output: 'bytes',
  unit: 'B',
  of: ({ seqLen, heads = 1, layers = 1, batch = 1, bytesPerValue }) => seqLen ** 2 * heads * layers * batch * bytesPerValue,
})

export const attentionScaling = law({
  id: 'memory/attention-scaling',
  name: 'Growth of attention with the context',
  decides: 'what a longer context costs',
  is: '(newSeqLen / oldSeqLen) ^ 2',
  source: 'A. Vaswani et al., Attention Is All You Need, NeurIPS 2017',
  validity: 'the score part of full attention; the rest of a layer and a key-value cache grow linearly',
  inputs: { oldSeqLen: sequence, newSeqLen: sequence },
  output: 'ratio',
  unit: '1',
  of: ({ oldSeqLen, newSeqLen }) => (newSeqLen / oldSeqLen) ** 2,
})

// Narrower counts are in use (scores once each way: N / 2d; scores against Q, K, V reads: N / 3d); this one counts every tensor.
export const attentionTraffic = law({
  id: 'memory/attention-traffic',
  name: 'Memory traffic saved by tiled attention',
  decides: 'whether a tiled attention kernel is worth its recomputation',
  is: 'naiveTraffic / tiledTraffic',
  source: FLASH,
  validity: 'ideal tiling that reads queries, keys and values once; the naive kernel writes and reads scores and probabilities',
  inputs: { seqLen: one('token'), headDim: count, bytesPerValue: one('B'), heads: factor },
  output: 'ratio',
  unit: '1',
  of: ({ seqLen, headDim }) => 1 + seqLen / headDim,
  also: {
    naiveTraffic: {
      unit: 'B',
      is: '(4 * seqLen * headDim + 4 * seqLen ^ 2) * bytesPerValue * heads',
      of: ({ seqLen, headDim, bytesPerValue, heads = 1 }) => (4 * seqLen * headDim + 4 * seqLen ** 2) * bytesPerValue * heads,
    },
    tiledTraffic: {
      unit: 'B',
      is: '4 * seqLen * headDim * bytesPerValue * heads',
      of: ({ seqLen, headDim, bytesPerValue, heads = 1 }) => 4 * seqLen * headDim * bytesPerValue * heads,
    },
  },
})

export const attentionTile = law({
  id: 'memory/attention-tile',
  name: 'On-chip memory of an attention tile',
  decides: 'which block size fits the on-chip memory of a device',
  is: '3 * blockSize * headDim * bytesPerValue',
  source: FLASH,
  validity: 'one block each of queries, keys and values of equal length; scores and running sums in registers',
  inputs: { blockSize: count, headDim: count, bytesPerValue: one('B') },
  output: 'tile',
  unit: 'B',
  of: ({ blockSize, headDim, bytesPerValue }) => 3 * blockSize * headDim * bytesPerValue,
})
