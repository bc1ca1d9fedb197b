import { composite, count, countOr, law, one, or } from '../law.ts'
import { vol2 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

export const stallSequential = law({
  id: 'storage/stall-sequential',
  name: 'Step time when reading and computing take turns',
  decides: 'what an input pipeline without prefetching costs',
  is: 'computeTime + ioTime',
  source: vol2.dataStorage,
  validity: 'no overlap of input and computation',
  inputs: { computeTime: one('s'), ioTime: one('s') },
  output: 'stepTime',
  unit: 's',
  of: ({ computeTime, ioTime }) => computeTime + ioTime,
  also: {
    stallRatio: { unit: '1', is: 'ioTime / stepTime', of: ({ ioTime }, stepTime) => ioTime / stepTime },
    utilization: { unit: '1', is: 'computeTime / stepTime', of: ({ computeTime }, stepTime) => computeTime / stepTime },
  },
})

export const stallPipelined = law({
  id: 'storage/stall-pipelined',
  name: 'Step time when reading overlaps computing',
  decides: 'whether prefetching alone removes the stall or storage must get faster',
  is: 'max(computeTime, ioTime)',
  source: vol2.dataStorage,
  validity: 'perfect overlap and steady times; jitter needs a deeper queue',
  inputs: { computeTime: one('s'), ioTime: one('s') },
  output: 'stepTime',
  unit: 's',
  of: ({ computeTime, ioTime }) => Math.max(computeTime, ioTime),
  also: {
    stallRatio: {
      unit: '1',
      is: '(stepTime - computeTime) / stepTime',
      of: ({ computeTime }, stepTime) => (stepTime - computeTime) / stepTime,
    },
  },
})

export const prefetchDepth = law({
  id: 'storage/prefetch-depth',
  name: 'Batches to prefetch against slow reads',
  decides: 'how deep the prefetch queue must be',
  is: 'ceil(ioTimeP99 / computeTime)',
  source: vol2.dataStorage,
  validity: 'storage keeps up on average and only its tail is slow; a minimum, production adds a margin',
  inputs: { ioTimeP99: one('s'), computeTime: one('s') },
  output: 'depth',
  unit: '1',
  of: ({ ioTimeP99, computeTime }) => tolerantCeil(ioTimeP99 / computeTime),
})

export const prefetchDepthSigma = law({
  id: 'storage/prefetch-depth-sigma',
  name: 'Batches to prefetch from mean and spread of read times',
  decides: 'how deep the prefetch queue must be when only mean and deviation are known',
  is: 'ceil((ioTime + sigmas * ioSigma) / computeTime)',
  source: vol2.computeInfrastructure,
  validity: 'read times roughly normal; heavy tails need the measured percentile instead',
  holds: ({ ioTime, computeTime }) => ioTime <= computeTime,
  inputs: { ioTime: one('s'), ioSigma: one('s'), computeTime: one('s'), sigmas: or('1', 3) },
  output: 'depth',
  unit: '1',
  of: ({ ioTime, ioSigma, computeTime, sigmas = 3 }) => tolerantCeil((ioTime + sigmas * ioSigma) / computeTime),
})

export const prefetchMemory = law({
  id: 'storage/prefetch-memory',
  name: 'Host memory held by prefetched batches',
  decides: 'how deep a prefetch queue the host memory allows',
  is: 'depth * batchBytes * devices',
  source: vol2.dataStorage,
  validity: 'decoded batches of equal size, one queue per device',
  inputs: { depth: count, batchBytes: one('B'), devices: countOr(1) },
  output: 'memory',
  unit: 'B',
  of: ({ depth, batchBytes, devices = 1 }) => depth * batchBytes * devices,
})

export const prefetchMemoryForTail = composite({
  id: 'storage/prefetch-memory-for-tail',
  name: 'Host memory that rides out slow reads',
  decides: 'how much host memory the input pipeline of a node takes',
  is: 'ceil(ioTimeP99 / computeTime) * batchBytes * devices',
  source: vol2.dataStorage,
  validity: 'storage keeps up on average; decoded batches, one queue per device, no margin',
  inputs: { ioTimeP99: one('s'), computeTime: one('s'), batchBytes: one('B'), devices: countOr(1) },
  output: 'memory',
  unit: 'B',
  via: ({ ioTimeP99, computeTime, batchBytes, devices }, apply) =>
    apply(prefetchMemory, { depth: apply(prefetchDepth, { ioTimeP99, computeTime }), batchBytes, devices }),
})
