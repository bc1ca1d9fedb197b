// Kernel fusion keeps intermediates on the chip. It pays by the traffic it removes, and only where traffic is the limit.

import { count, law, one, or } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

export const fusionTraffic = law({
  id: 'roofline/fusion-traffic',
  name: 'Traffic of a fused chain',
  decides: 'what fusing a chain of element-wise operations saves',
  is: '2 * tensorBytes',
  source: vol1.mlFrameworks,
  validity: 'a chain of element-wise operations on tensors of one size, each reading and writing main memory when unfused',
  inputs: { ops: count, tensorBytes: one('B') },
  output: 'fusedBytes',
  unit: 'B',
  of: ({ tensorBytes }) => 2 * tensorBytes,
  also: {
    unfusedBytes: { unit: 'B', is: '2 * ops * tensorBytes', of: ({ ops, tensorBytes }) => 2 * ops * tensorBytes },
    savedBytes: {
      unit: 'B',
      is: 'unfusedBytes - fusedBytes',
      of: ({ ops, tensorBytes }, fusedBytes) => 2 * ops * tensorBytes - fusedBytes,
    },
    ratio: { unit: '1', is: 'ops', of: ({ ops }) => ops },
  },
})

export const fusionSaving = law({
  id: 'roofline/fusion-saving',
  name: 'Traffic saved by fusing a block',
  decides: 'whether a fused kernel is worth writing for a model',
  is: '2 * intermediates * rows * cols * bytesPerValue * layers',
  source: vol2.performanceEngineering,
  validity: 'every intermediate would be written once and read once, and stays on the chip when fused',
  inputs: { rows: count, cols: count, bytesPerValue: one('B'), intermediates: one('1'), layers: or('1', 1, { least: 1 }) },
  output: 'savedTotal',
  unit: 'B',
  of: ({ rows, cols, bytesPerValue, intermediates, layers = 1 }) => 2 * intermediates * rows * cols * bytesPerValue * layers,
  also: {
    tensorSize: { unit: 'B', is: 'rows * cols * bytesPerValue', of: ({ rows, cols, bytesPerValue }) => rows * cols * bytesPerValue },
    savedPerLayer: { unit: 'B', is: 'savedTotal / layers', of: ({ layers = 1 }, savedTotal) => savedTotal / layers },
  },
})

type Convolution = { height: number; width: number; channels: number; kernel: number; bytesPerValue: number }

const featureBytes = ({ height, width, channels, bytesPerValue }: Convolution): number => height * width * channels * bytesPerValue
const weightBytes = ({ kernel, channels, bytesPerValue }: Convolution): number => kernel ** 2 * channels ** 2 * bytesPerValue
const normBytes = ({ channels, bytesPerValue }: Convolution): number => 2 * channels * bytesPerValue
const fusedBytes = (conv: Convolution): number => 2 * featureBytes(conv) + weightBytes(conv) + normBytes(conv)
const unfusedBytes = (conv: Convolution): number => 6 * featureBytes(conv) + weightBytes(conv) + normBytes(conv)
const convFlops = ({ height, width, channels, kernel }: Convolution): number => 2 * height * width * kernel ** 2 * channels ** 2

// The book quotes the traffic ratio (1.8x) as the speedup; its convolution is compute bound and gains 6 %.
export const convBnReluFusion = law({
  id: 'roofline/conv-bn-relu-fusion',
  name: 'Speedup of fusing normalization and activation into a convolution',
  decides: 'whether fusing into a convolution pays, or its arithmetic hides the traffic anyway',
  is:
    '(max(computeTime, convTime) + restTime) / max(computeTime, fusedMemoryTime) ' +
    'where convTime = (2 * featureBytes + weightBytes) / memoryBandwidth; ' +
    'restTime = (4 * featureBytes + 2 * channels * bytesPerValue) / memoryBandwidth',
  source: vol1.modelCompression,
  validity: 'stride 1, as many channels out as in, the peak rate attained; without a peak rate the memory times alone decide',
  inputs: {
    height: count,
    width: count,
    channels: count,
    kernel: count,
    bytesPerValue: one('B'),
    memoryBandwidth: one('B/s'),
    peakFlops: or('FLOP/s', Infinity),
  },
  output: 'speedup',
  unit: '1',
  of: (conv) => {
    const { memoryBandwidth, peakFlops = Infinity } = conv
    const computeTime = convFlops(conv) / peakFlops
    const convTime = (2 * featureBytes(conv) + weightBytes(conv)) / memoryBandwidth
    const restTime = (4 * featureBytes(conv) + normBytes(conv)) / memoryBandwidth
    return (Math.max(computeTime, convTime) + restTime) / Math.max(computeTime, fusedBytes(conv) / memoryBandwidth)
  },
  also: {
    featureBytes: { unit: 'B', is: 'height * width * channels * bytesPerValue', of: featureBytes },
    weightBytes: { unit: 'B', is: 'kernel ^ 2 * channels ^ 2 * bytesPerValue', of: weightBytes },
    unfusedBytes: { unit: 'B', is: '6 * featureBytes + weightBytes + 2 * channels * bytesPerValue', of: unfusedBytes },
    fusedBytes: { unit: 'B', is: '2 * featureBytes + weightBytes + 2 * channels * bytesPerValue', of: fusedBytes },
    trafficReduction: { unit: '1', is: '1 - fusedBytes / unfusedBytes', of: (conv) => 1 - fusedBytes(conv) / unfusedBytes(conv) },
    memorySpeedup: { unit: '1', is: 'unfusedBytes / fusedBytes', of: (conv) => unfusedBytes(conv) / fusedBytes(conv) },
    unfusedMemoryTime: { unit: 's', is: 'unfusedBytes / memoryBandwidth', of: (conv) => unfusedBytes(conv) / conv.memoryBandwidth },
    fusedMemoryTime: { unit: 's', is: 'fusedBytes / memoryBandwidth', of: (conv) => fusedBytes(conv) / conv.memoryBandwidth },
    flops: { unit: 'FLOP', is: '2 * height * width * kernel ^ 2 * channels ^ 2', of: convFlops },
    convIntensity: {
      unit: 'FLOP/B',
      is: 'flops / (2 * featureBytes + weightBytes)',
      of: (conv) => convFlops(conv) / (2 * featureBytes(conv) + weightBytes(conv)),
    },
    computeTime: { unit: 's', is: 'flops / peakFlops', of: (conv) => convFlops(conv) / (conv.peakFlops ?? Infinity) },
  },
})
