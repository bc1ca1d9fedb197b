// The score matrix of attention: what storing it takes, what moving it costs, and what tiling saves.

import { count, law, one, or } from '../law.ts'
import { vol1 } from '../sources.ts'

const FLASH =
  'T. Dao, D. Y. Fu, S. Ermon, A. Rudra, C. Re, FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness, NeurIPS 2022'

const factor = or('1', 1, { least: 1 })
const sequence = one('token', { least: 1 })

export const attentionScores = law({
  id: 'memory/attention-scores',
  name: 'Memory of the attention scores',
  decides: 'up to which context attention may store its score matrix',
  is: 'seqLen ^ 2 * heads * layers * batch * bytesPerValue',
  source: vol1.networkArchitectures,
  validity: 'attention that stores the full matrix; a tiled kernel never does',
  inputs: { seqLen: sequence, heads: factor, layers: factor, batch: factor, bytesPerValue: one('B') },
  output: 'bytes',
  unit: 'B',
  of: ({ seqLen, heads = 1, layers = 1, batch = 1, bytesPerValue }) => seqLen ** 2 * heads * layers * batch * bytesPerValue,
})

// Narrower counts are in use (scores once each way: N / 2d; scores against Q, K, V reads: N / 3d); this one counts every tensor.
export const attentionTraffic = law({
  id: 'memory/attention-traffic',
  name: 'Memory traffic saved by tiled attention',
  decides: 'whether a tiled attention kernel is worth its recomputation',
  is: 'naiveTraffic / tiledTraffic',
  source: FLASH,
  validity:
    'an upper bound: all operands of a head fit on chip and are read once, against a kernel that writes and reads scores and probabilities; where they do not fit the saving stops near on-chip values / headDim^2',
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
  is: 'blocks * blockSize * headDim * bytesPerValue',
  source: FLASH,
  validity:
    'blocks of equal length: queries, keys, values and output are four, as in the paper, and three where the output stays in registers',
  inputs: { blockSize: count, headDim: count, bytesPerValue: one('B'), blocks: or('1', 4, { least: 1 }) },
  output: 'tile',
  unit: 'B',
  of: ({ blockSize, headDim, bytesPerValue, blocks = 4 }) => blocks * blockSize * headDim * bytesPerValue,
})
