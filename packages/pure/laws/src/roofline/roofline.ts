// Bandwidth or arithmetic: which of the two holds a kernel, and how far from the peak that leaves it.

import { count, law, one } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

const WILLIAMS = 'S. Williams, A. Waterman, D. Patterson, Roofline: an insightful visual performance model, CACM 52(4), 2009'

export const ridgePoint = law({
  id: 'roofline/ridge-point',
  name: 'Ridge point of a device',
  decides: 'whether a workload wants bandwidth (below) or arithmetic (above)',
  is: 'peakFlops / memoryBandwidth',
  source: WILLIAMS,
  validity: 'peak and bandwidth of the same device; the dense peak of the precision in use, not the sparse one',
  inputs: { peakFlops: one('FLOP/s'), memoryBandwidth: one('B/s') },
  output: 'intensity',
  unit: 'FLOP/B',
  of: ({ peakFlops, memoryBandwidth }) => peakFlops / memoryBandwidth,
})

export const attainable = law({
  id: 'roofline/attainable',
  name: 'Attainable rate',
  decides: 'the best rate a kernel can reach on a device',
  is: 'min(peakFlops, intensity * memoryBandwidth)',
  source: WILLIAMS,
  validity: 'steady kernel that fills the device; launch latency and caches not counted',
  inputs: { intensity: one('FLOP/B'), peakFlops: one('FLOP/s'), memoryBandwidth: one('B/s') },
  output: 'rate',
  unit: 'FLOP/s',
  of: ({ intensity, peakFlops, memoryBandwidth }) => Math.min(peakFlops, intensity * memoryBandwidth),
  also: { fraction: { unit: '1', is: 'rate / peakFlops', of: ({ peakFlops }, rate) => rate / peakFlops } },
})

export const softRoofline = law({
  id: 'roofline/soft-roofline',
  name: 'Kernel time near the ridge',
  decides: 'how much a kernel loses where arithmetic and memory take equally long',
  is: '(computeTime ^ sharpness + memoryTime ^ sharpness) ^ (1 / sharpness)',
  source: `${WILLIAMS}; the sharpness is fitted to published kernel tables`,
  validity: 'sharpness 1 is no overlap of the two, infinite is the roofline itself',
  inputs: { computeTime: one('s'), memoryTime: one('s'), sharpness: one('1', { least: 1 }) },
  output: 'time',
  unit: 's',
  of: ({ computeTime, memoryTime, sharpness }) => {
    const most = Math.max(computeTime, memoryTime)
    if (most <= 0) return 0
    return most * (1 + (Math.min(computeTime, memoryTime) / most) ** sharpness) ** (1 / sharpness)
  },
})

export const arithmeticIntensity = law({
  id: 'roofline/arithmetic-intensity',
  name: 'Arithmetic intensity',
  decides: 'on which side of the ridge a workload lies',
  is: 'flops / bytesMoved',
  source: WILLIAMS,
  validity: 'operations and bytes of the same batch; bytes that really cross the memory bus',
  inputs: { flops: one('FLOP'), bytesMoved: one('B') },
  output: 'intensity',
  unit: 'FLOP/B',
  of: ({ flops, bytesMoved }) => flops / bytesMoved,
})

export const achievedIntensity = law({
  id: 'roofline/achieved-intensity',
  name: 'Intensity seen by a profiler',
  decides: 'whether a running kernel is held by bandwidth or by software',
  is: 'achievedFlops / achievedBandwidth',
  source: vol2.performanceEngineering,
  validity: 'both rates measured over the same interval; far below both roofs means overhead, not hardware',
  holds: ({ achievedBandwidth, memoryBandwidth }) => achievedBandwidth <= memoryBandwidth,
  inputs: { achievedFlops: one('FLOP/s'), achievedBandwidth: one('B/s'), memoryBandwidth: one('B/s') },
  output: 'intensity',
  unit: 'FLOP/B',
  of: ({ achievedFlops, achievedBandwidth }) => achievedFlops / achievedBandwidth,
  also: {
    bandwidthUtilization: {
      unit: '1',
      is: 'achievedBandwidth / memoryBandwidth',
      of: ({ achievedBandwidth, memoryBandwidth }) => achievedBandwidth / memoryBandwidth,
    },
  },
})

export const weightsOnlyIntensity = law({
  id: 'roofline/weights-only-intensity',
  name: 'Intensity of a dense layer by batch',
  decides: 'how far batching lifts decoding out of the memory-bound regime',
  is: '2 * batch / bytesPerParam',
  source: vol1.networkArchitectures,
  validity: 'weights dominate the traffic: small batch, short context; in prefill the batch is the number of prompt tokens',
  inputs: { batch: count, bytesPerParam: one('B') },
  output: 'intensity',
  unit: 'FLOP/B',
  of: ({ batch, bytesPerParam }) => (2 * batch) / bytesPerParam,
})

// Counting weight traffic only gives the smallest such batch; activation traffic moves the real one up.
export const batchToRidge = law({
  id: 'roofline/batch-to-ridge',
  name: 'Batch that reaches the ridge',
  decides: 'the smallest batch at which arithmetic can become the limit',
  is: 'peakFlops / memoryBandwidth / intensity',
  source: vol1.mlSystems,
  validity: 'weight traffic only, so the intensity grows in proportion to the batch: a lower bound',
  inputs: { peakFlops: one('FLOP/s'), memoryBandwidth: one('B/s'), intensity: one('FLOP/B') },
  output: 'batch',
  unit: '1',
  of: ({ peakFlops, memoryBandwidth, intensity }) => peakFlops / memoryBandwidth / intensity,
})

const gemmFlops = (m: number, n: number, k: number): number => 2 * m * n * k
const gemmValues = (m: number, n: number, k: number): number => m * k + k * n + m * n

export const gemmIntensity = law({
  id: 'roofline/gemm-intensity',
  name: 'Intensity of a matrix product',
  decides: 'which layer shapes can use the arithmetic of a device',
  is: 'flops / bytes',
  source: vol1.algorithmFoundations,
  validity: 'every operand read once and the result written once, as with ideal tiling',
  inputs: { m: count, n: count, k: count, bytesPerValue: one('B') },
  output: 'intensity',
  unit: 'FLOP/B',
  of: ({ m, n, k, bytesPerValue }) => gemmFlops(m, n, k) / (bytesPerValue * gemmValues(m, n, k)),
  also: {
    flops: { unit: 'FLOP', is: '2 * m * n * k', of: ({ m, n, k }) => gemmFlops(m, n, k) },
    bytes: {
      unit: 'B',
      is: '(m * k + k * n + m * n) * bytesPerValue',
      of: ({ m, n, k, bytesPerValue }) => bytesPerValue * gemmValues(m, n, k),
    },
  },
})

export const elementwiseIntensity = law({
  id: 'roofline/elementwise-intensity',
  name: 'Intensity of an element-wise operation',
  decides: 'which operations to fuse into their neighbors',
  is: 'opsPerElement / ((reads + writes) * bytesPerValue)',
  source: vol1.mlFrameworks,
  validity: 'operands come from and return to main memory',
  inputs: { opsPerElement: count, reads: one('1'), writes: one('1'), bytesPerValue: one('B') },
  output: 'intensity',
  unit: 'FLOP/B',
  of: ({ opsPerElement, reads, writes, bytesPerValue }) => opsPerElement / ((reads + writes) * bytesPerValue),
})

export const memoryBoundFraction = law({
  id: 'roofline/memory-bound-fraction',
  name: 'Memory-boundedness',
  decides: 'whether faster arithmetic would be noticed at all',
  is: 'memoryTime / (memoryTime + computeTime)',
  source: vol2.computeInfrastructure,
  validity: 'times of the same step, each measured or estimated alone',
  inputs: { memoryTime: one('s'), computeTime: one('s') },
  output: 'memoryFraction',
  unit: '1',
  of: ({ memoryTime, computeTime }) => memoryTime / (memoryTime + computeTime),
})
