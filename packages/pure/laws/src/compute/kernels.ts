// How long one kernel takes on a device whose shares of the peaks were measured. The planner times every product and every
// attention of a plan by these.

import { count, law, one, share } from '../law.ts'

const TILES = 'NVIDIA, Matrix Multiplication Background User’s Guide, tile and wave quantization'
const FLASH = 'T. Dao, FlashAttention-2, 2023'
const CURVES = 'coefficients fitted to published kernel tables, one set per device and precision'

export const waveWaste = law({
  id: 'compute/wave-waste',
  name: 'Processors idle in the last wave of tiles',
  decides: 'how much a product of an awkward shape loses',
  is: 'min(3, ceil(tiles) / tiles - 1) where tiles = ceil(rows / tile) * ceil(columns / tile) / processors',
  source: TILES,
  validity: 'one tile per processor at a time; libraries split small products further, which bounds the waste at 3',
  inputs: { rows: count, columns: count, tile: count, processors: count },
  output: 'waste',
  unit: '1',
  of: ({ rows, columns, tile, processors }) => {
    const tiles = (Math.ceil(rows / tile) * Math.ceil(columns / tile)) / processors
    return Math.min(3, Math.ceil(tiles) / tiles - 1)
  },
})

export const productArithmeticTime = law({
  id: 'compute/product-arithmetic-time',
  name: 'Arithmetic of a matrix product',
  decides: 'how long a product takes when arithmetic holds it',
  is: '2 * rows * columns * (inner + ramp) / (peakFlops * computeShare) * (1 + waveShare * waste)',
  source: CURVES,
  validity: 'the ramp is the inner length that filling the pipelines of a tile costs; shares of the peak below one',
  inputs: {
    rows: count,
    columns: count,
    inner: count,
    ramp: one('1'),
    peakFlops: one('FLOP/s'),
    computeShare: share,
    waveShare: one('1'),
    waste: one('1'),
  },
  output: 'time',
  unit: 's',
  of: ({ rows, columns, inner, ramp, peakFlops, computeShare, waveShare, waste }) =>
    ((2 * rows * columns * (inner + ramp)) / (peakFlops * computeShare)) * (1 + waveShare * waste),
})

export const productTraffic = law({
  id: 'compute/product-traffic',
  name: 'Bytes that a matrix product moves',
  decides: 'how much a smaller format of the weights saves',
  is: 'columns * inner * weightBytes * (1 + narrow / columns) + rows * inner * activationBytes + rows * columns * resultBytes',
  source: CURVES,
  validity: 'weights and activations are read once, the result is written once; narrow results read weights less well',
  inputs: {
    rows: count,
    columns: count,
    inner: count,
    weightBytes: one('B'),
    activationBytes: one('B'),
    resultBytes: one('B'),
    narrow: one('1'),
  },
  output: 'bytes',
  unit: 'B',
  of: ({ rows, columns, inner, weightBytes, activationBytes, resultBytes, narrow }) =>
    columns * inner * weightBytes * (1 + narrow / columns) + rows * inner * activationBytes + rows * columns * resultBytes,
})

export const fusedAttentionTime = law({
  id: 'compute/fused-attention-time',
  name: 'Fused attention over a prompt',
  decides: 'from which length on attention, not products, fills a step',
  is: 'start + traffic / (memoryBandwidth * memoryShare) + flops / (peakFlops * computeShare) * shape where flops = 4 * sequences * heads * width * (pairs + queries * ramp); traffic = sequences * queries * width * bytesPerValue * (2 * heads + 4 * kvHeads)',
  source: `${FLASH}; ${CURVES}`,
  validity: 'pairs are the visible query-key pairs of one head; scores never leave the chip; shape is 1 where blocks fill the processors',
  inputs: {
    sequences: count,
    queries: count,
    heads: count,
    kvHeads: count,
    width: count,
    pairs: one('1'),
    bytesPerValue: one('B'),
    ramp: one('1'),
    shape: one('1'),
    peakFlops: one('FLOP/s'),
    computeShare: share,
    memoryBandwidth: one('B/s'),
    memoryShare: share,
    start: one('s'),
  },
  output: 'time',
  unit: 's',
  of: (work) => {
    const { sequences, queries, heads, kvHeads, width, pairs, bytesPerValue, ramp, shape } = work
    const traffic = sequences * queries * width * bytesPerValue * (2 * heads + 4 * kvHeads)
    const flops = 4 * sequences * heads * width * (pairs + queries * ramp)
    return work.start + traffic / (work.memoryBandwidth * work.memoryShare) + (flops / (work.peakFlops * work.computeShare)) * shape
  },
})
