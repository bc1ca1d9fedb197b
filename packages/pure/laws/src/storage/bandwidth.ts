import { composite, count, countOr, law, one, or, share, shareOr } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

export const readTime = law({
  id: 'storage/read-time',
  name: 'Time to read or write bytes at a storage bandwidth',
  decides: 'how long a load, a save or an epoch of reading takes',
  is: 'passes * bytes / storageBandwidth',
  source: vol1.dataEngineering,
  validity: 'sequential access at the sustained rate, no cache between the passes',
  inputs: { bytes: one('B'), storageBandwidth: one('B/s'), passes: or('1', 1) },
  output: 'time',
  unit: 's',
  of: ({ bytes, storageBandwidth, passes = 1 }) => (passes * bytes) / storageBandwidth,
})

export const readTimeSaved = law({
  id: 'storage/read-time-saved',
  name: 'Reading time saved by a faster format or medium',
  decides: 'whether a larger but faster format pays over all epochs',
  is: 'passes * bytes * (1 / slowBandwidth - 1 / fastBandwidth)',
  source: vol1.dataEngineering,
  validity: 'reading, not computing, sets the pace; both rates measured on the same data',
  inputs: { bytes: one('B'), slowBandwidth: one('B/s'), fastBandwidth: one('B/s'), passes: or('1', 1) },
  output: 'timeSaved',
  unit: 's',
  of: ({ bytes, slowBandwidth, fastBandwidth, passes = 1 }) => passes * bytes * (1 / slowBandwidth - 1 / fastBandwidth),
})

export const requiredBandwidth = law({
  id: 'storage/required-bandwidth',
  name: 'Bandwidth that a sample rate needs',
  decides: 'which storage can keep an accelerator fed',
  is: 'rate * bytesPerSample',
  source: vol1.dataEngineering,
  validity: 'bytes as they travel: compressed on disk, many times more once decoded',
  inputs: { rate: one('1/s'), bytesPerSample: one('B') },
  output: 'bandwidth',
  unit: 'B/s',
  of: ({ rate, bytesPerSample }) => rate * bytesPerSample,
})

export const pipelineBandwidth = law({
  id: 'storage/pipeline-bandwidth',
  name: 'Storage bandwidth a training fleet needs',
  decides: 'how fast the file system under a training job must be',
  is: 'devices * targetUtilization * batchBytes / stepTime',
  source: vol2.dataStorage,
  validity: 'every device reads its own batch each step, no cache; leave 0.8 to 0.95 as the target',
  inputs: { devices: count, batchBytes: one('B'), stepTime: one('s'), targetUtilization: shareOr(1) },
  output: 'bandwidth',
  unit: 'B/s',
  of: ({ devices, batchBytes, stepTime, targetUtilization = 1 }) => (devices * targetUtilization * batchBytes) / stepTime,
})

export const serverCount = law({
  id: 'storage/server-count',
  name: 'Servers, streams or reader threads for a bandwidth',
  decides: 'how many storage servers to run or loader workers to start',
  is: 'ceil(requiredBandwidth / bandwidthPerServer)',
  source: vol2.dataStorage,
  validity: 'data spread evenly, neither the network nor the cores of the host limiting',
  inputs: { requiredBandwidth: one('B/s'), bandwidthPerServer: one('B/s') },
  output: 'servers',
  unit: '1',
  of: ({ requiredBandwidth, bandwidthPerServer }) => tolerantCeil(requiredBandwidth / bandwidthPerServer),
})

export const serversForFleet = composite({
  id: 'storage/servers-for-fleet',
  name: 'Storage servers that keep a training fleet fed',
  decides: 'how many storage servers a training cluster needs',
  is: 'ceil(devices * targetUtilization * batchBytes / stepTime / bandwidthPerServer)',
  source: vol2.dataStorage,
  validity: 'every device reads its own batch each step from evenly striped servers',
  inputs: { devices: count, batchBytes: one('B'), stepTime: one('s'), targetUtilization: shareOr(1), bandwidthPerServer: one('B/s') },
  output: 'servers',
  unit: '1',
  via: ({ devices, batchBytes, stepTime, targetUtilization, bandwidthPerServer }, apply) =>
    apply(serverCount, {
      requiredBandwidth: apply(pipelineBandwidth, { devices, batchBytes, stepTime, targetUtilization }),
      bandwidthPerServer,
    }),
})

export const fedRate = law({
  id: 'storage/fed-rate',
  name: 'Sample rate that storage can feed',
  decides: 'whether the disk or the accelerator limits training',
  is: 'storageBandwidth / bytesPerSample',
  source: vol1.dataEngineering,
  validity: 'sequential reading, preprocessing keeps up',
  inputs: { storageBandwidth: one('B/s'), bytesPerSample: one('B'), acceleratorRate: one('1/s') },
  output: 'rate',
  unit: '1/s',
  of: ({ storageBandwidth, bytesPerSample }) => storageBandwidth / bytesPerSample,
  also: {
    utilization: {
      unit: '1',
      is: 'min(1, rate / acceleratorRate)',
      of: ({ acceleratorRate }, rate) => Math.min(1, rate / acceleratorRate),
    },
  },
})

export const iopsThroughput = law({
  id: 'storage/iops-throughput',
  name: 'Throughput of random reads',
  decides: 'whether to pack small files into shards',
  is: 'iops * blockBytes',
  source: vol1.dataEngineering,
  validity: 'enough requests in flight to reach the rated operations per second, at the block size they were rated for',
  inputs: { iops: one('1/s'), blockBytes: one('B'), sequentialBandwidth: one('B/s') },
  output: 'throughput',
  unit: 'B/s',
  of: ({ iops, blockBytes }) => iops * blockBytes,
  also: {
    randomPenalty: {
      unit: '1',
      is: 'sequentialBandwidth / throughput',
      of: ({ sequentialBandwidth }, throughput) => sequentialBandwidth / throughput,
    },
  },
})

export const effectiveRandomRate = law({
  id: 'storage/effective-random-rate',
  name: 'Bandwidth of shuffled reads from a drive',
  decides: 'what to plan with instead of the data sheet',
  is: 'theoreticalBandwidth * derating * accessFactor',
  source: vol1.modelTraining,
  validity: 'rule of thumb: half the rated speed in practice, a tenth of that for small random reads',
  inputs: { theoreticalBandwidth: one('B/s'), derating: shareOr(0.5), accessFactor: shareOr(0.1) },
  output: 'bandwidth',
  unit: 'B/s',
  of: ({ theoreticalBandwidth, derating = 0.5, accessFactor = 0.1 }) => theoreticalBandwidth * derating * accessFactor,
})

export const compressedRead = law({
  id: 'storage/compressed-read',
  name: 'Effective bandwidth of compressed data and the cores it costs',
  decides: 'which codec level the host can afford',
  is: 'rawBandwidth * compressionRatio',
  source: vol2.dataStorage,
  validity: 'as long as that many cores are free: a stronger level can cost more cores than it gains bandwidth',
  inputs: { rawBandwidth: one('B/s'), compressionRatio: one('1', { least: 1 }), decompressRatePerCore: one('B/s') },
  output: 'effectiveBandwidth',
  unit: 'B/s',
  of: ({ rawBandwidth, compressionRatio }) => rawBandwidth * compressionRatio,
  also: {
    cores: {
      unit: '1',
      is: 'effectiveBandwidth / decompressRatePerCore',
      of: ({ decompressRatePerCore }, effectiveBandwidth) => effectiveBandwidth / decompressRatePerCore,
    },
  },
})

export const cpuCores = law({
  id: 'storage/cpu-cores',
  name: 'Cores busy with input handling',
  decides: 'how many host cores the data path needs, and what a direct path to the device frees',
  is: 'rate * cpuTimePerItem',
  source: vol2.dataStorage,
  validity: 'work spreads evenly over cores; mean busy cores, so plan headroom on top',
  inputs: { rate: one('1/s'), cpuTimePerItem: one('s') },
  output: 'cores',
  unit: '1',
  of: ({ rate, cpuTimePerItem }) => rate * cpuTimePerItem,
})

export const stagingTime = law({
  id: 'storage/staging-time',
  name: 'Time to stage a data set or model over many nodes or drives',
  decides: 'whether to stage before the run or to stream',
  is: 'bytes / nodes / bandwidthPerNode',
  source: vol2.dataStorage,
  validity: 'equal shares and a source that can serve all nodes at once',
  inputs: { bytes: one('B'), nodes: count, bandwidthPerNode: one('B/s') },
  output: 'time',
  unit: 's',
  of: ({ bytes, nodes, bandwidthPerNode }) => bytes / nodes / bandwidthPerNode,
  also: { perNode: { unit: 'B', is: 'bytes / nodes', of: ({ bytes, nodes }) => bytes / nodes } },
})

export const noisyNeighbor = law({
  id: 'storage/noisy-neighbor',
  name: 'What a greedy job leaves to the others',
  decides: 'whether a shared file system needs quotas',
  is: '(bandwidth - hogBandwidth) / (jobs - 1)',
  source: vol2.dataStorage,
  validity: 'the other jobs want at least their fair share and divide the rest evenly',
  inputs: { bandwidth: one('B/s'), jobs: one('1', { least: 2 }), hogBandwidth: one('B/s') },
  output: 'remainingShare',
  unit: 'B/s',
  of: ({ bandwidth, jobs, hogBandwidth }) => (bandwidth - hogBandwidth) / (jobs - 1),
  also: {
    fairShare: { unit: 'B/s', is: 'bandwidth / jobs', of: ({ bandwidth, jobs }) => bandwidth / jobs },
    reduction: {
      unit: '1',
      is: '1 - remainingShare / fairShare',
      of: ({ bandwidth, jobs }, remainingShare) => 1 - remainingShare / (bandwidth / jobs),
    },
  },
})

export const metadataTime = law({
  id: 'storage/metadata-time',
  name: 'Time spent opening files',
  decides: 'whether to pack a data set into large archives',
  is: 'files * openTime / parallelOpens',
  source: vol2.dataStorage,
  validity: 'the metadata server answers that many opens at a time',
  inputs: { files: one('1'), openTime: one('s'), parallelOpens: countOr(1) },
  output: 'time',
  unit: 's',
  of: ({ files, openTime, parallelOpens = 1 }) => (files * openTime) / parallelOpens,
})

export const averageAccessTime = law({
  id: 'storage/average-access-time',
  name: 'Average access time behind a cache',
  decides: 'how large a hit rate a cache tier must reach to pay',
  is: 'hitTime + missRate * missPenalty',
  source: 'J. L. Hennessy, D. A. Patterson, Computer Architecture: A Quantitative Approach',
  validity: 'one access at a time; prefetching hides part of the penalty',
  inputs: { hitTime: one('s'), missRate: share, missPenalty: one('s') },
  output: 'time',
  unit: 's',
  of: ({ hitTime, missRate, missPenalty }) => hitTime + missRate * missPenalty,
})
