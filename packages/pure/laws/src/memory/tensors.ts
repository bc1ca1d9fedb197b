// Memory of tensors, tables and buffers, and the bandwidth that error correction leaves.

import { count, law, list, maybe, one, or } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

const elementCount = (dim: readonly number[]): number => dim.reduce((product, size) => product * size, 1)

export const tensorBytes = law({
  id: 'memory/tensor-bytes',
  name: 'Memory of a tensor',
  decides: 'what a batch, a feature map or a buffer occupies and moves',
  is: 'prod(dim) * bytesPerValue',
  source: vol1.mlFrameworks,
  validity: 'dense and contiguous; allocators round up',
  inputs: { dim: list('1', { least: 1 }), bytesPerValue: one('B') },
  output: 'bytes',
  unit: 'B',
  of: ({ dim, bytesPerValue }) => elementCount(dim) * bytesPerValue,
  also: { values: { unit: '1', is: 'prod(dim)', of: ({ dim }) => elementCount(dim) } },
})

export const embeddingTable = law({
  id: 'memory/embedding-table',
  name: 'Memory of an embedding table',
  decides: 'whether a table must be sharded or moved to host memory',
  is: 'rows * dim * bytesPerValue',
  source: vol1.networkArchitectures,
  validity: 'dense table; an optimizer with state per row multiplies it in training',
  inputs: { rows: count, dim: count, bytesPerValue: one('B'), deviceMemory: maybe('B') },
  output: 'bytes',
  unit: 'B',
  of: ({ rows, dim, bytesPerValue }) => rows * dim * bytesPerValue,
  also: { share: { unit: '1', is: 'bytes / deviceMemory', of: ({ deviceMemory = Number.NaN }, bytes) => bytes / deviceMemory } },
})

export const compressedSparseRows = law({
  id: 'memory/csr',
  name: 'Memory of a sparse matrix in compressed rows',
  decides: 'from which sparsity on a sparse format saves memory',
  is: 'rows * cols * density * (valueBytes + indexBytes) + (rows + 1) * pointerBytes',
  source: vol1.algorithmFoundations,
  validity: 'one index per stored value; row pointers count only when their width is given; above the break-even density dense is smaller',
  inputs: {
    rows: count,
    cols: count,
    density: one('1', { most: 1 }),
    valueBytes: one('B'),
    indexBytes: one('B'),
    pointerBytes: or('B', 0),
  },
  output: 'csrBytes',
  unit: 'B',
  of: ({ rows, cols, density, valueBytes, indexBytes, pointerBytes = 0 }) =>
    rows * cols * density * (valueBytes + indexBytes) + (rows + 1) * pointerBytes,
  also: {
    denseBytes: { unit: 'B', is: 'rows * cols * valueBytes', of: ({ rows, cols, valueBytes }) => rows * cols * valueBytes },
    ratio: { unit: '1', is: 'denseBytes / csrBytes', of: ({ rows, cols, valueBytes }, csrBytes) => (rows * cols * valueBytes) / csrBytes },
    breakEvenDensity: {
      unit: '1',
      is: '(rows * cols * valueBytes - (rows + 1) * pointerBytes) / (rows * cols * (valueBytes + indexBytes))',
      of: ({ rows, cols, valueBytes, indexBytes, pointerBytes = 0 }) =>
        (rows * cols * valueBytes - (rows + 1) * pointerBytes) / (rows * cols * (valueBytes + indexBytes)),
    },
  },
})

export const prefetchBuffer = law({
  id: 'memory/prefetch-buffer',
  name: 'Host memory of prefetched batches',
  decides: 'how many loader workers and how much prefetch the host memory allows',
  is: 'workers * prefetchFactor * batch * valuesPerSample * bytesPerValue',
  source: vol1.modelTraining,
  validity: 'decoded samples of equal size, every worker keeps its prefetch full; batches being decoded come on top',
  inputs: {
    workers: or('1', 1),
    prefetchFactor: one('1'),
    batch: or('1', 1),
    valuesPerSample: or('1', 1),
    bytesPerValue: or('B', 1),
  },
  output: 'bytes',
  unit: 'B',
  of: ({ workers = 1, prefetchFactor, batch = 1, valuesPerSample = 1, bytesPerValue = 1 }) =>
    workers * prefetchFactor * batch * valuesPerSample * bytesPerValue,
  also: {
    batchesInFlight: { unit: '1', is: 'workers * prefetchFactor', of: ({ workers = 1, prefetchFactor }) => workers * prefetchFactor },
  },
})

export const eccBandwidth = law({
  id: 'memory/ecc-bandwidth',
  name: 'Bandwidth left by error correction',
  decides: 'what switching error correction on costs a bandwidth-bound job',
  is: 'rawBandwidth * (1 - eccOverhead)',
  source: vol2.faultToleranceAndReliability,
  validity: 'check bits share the bus with the data; memory with spare chips or on-die correction loses less',
  inputs: { rawBandwidth: one('B/s'), eccOverhead: one('1', { most: 1 }) },
  output: 'effectiveBandwidth',
  unit: 'B/s',
  of: ({ rawBandwidth, eccOverhead }) => rawBandwidth * (1 - eccOverhead),
})
