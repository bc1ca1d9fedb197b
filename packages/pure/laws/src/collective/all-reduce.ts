import { composite, count, law, maybe, one, or } from '../law.ts'
import { transferTime } from '../network/message.ts'
import { THAKUR, vol2 } from '../sources.ts'

const PATARASUK = 'P. Patarasuk, X. Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC 69(2), 2009'

export const allReduceVolume = law({
  id: 'collective/all-reduce-volume',
  name: 'Bytes each device sends in a bandwidth-optimal all-reduce',
  decides: 'how much traffic a gradient exchange puts on each link',
  is: '2 * (devices - 1) / devices * bytes',
  source: PATARASUK,
  validity: 'ring or halving-doubling; a plain tree sends more, reduction inside the switch sends half',
  inputs: { devices: count, bytes: one('B') },
  output: 'bytesPerDevice',
  unit: 'B',
  of: ({ devices, bytes }) => ((2 * (devices - 1)) / devices) * bytes,
})

export const ringLatency = law({
  id: 'collective/ring-latency',
  name: 'Latency of the steps of a ring all-reduce',
  decides: 'at how many devices the steps of a ring cost more than its bytes',
  is: '2 * (devices - 1) * latency',
  source: PATARASUK,
  validity: 'one message in flight per step, every hop equally far',
  inputs: { devices: count, latency: or('s', 0) },
  output: 'latencyTime',
  unit: 's',
  of: ({ devices, latency = 0 }) => 2 * (devices - 1) * latency,
})

export const ringAllReduce = composite({
  id: 'collective/ring-all-reduce',
  name: 'Ring all-reduce time',
  decides: 'how long a gradient exchange takes',
  is: '2 * (devices - 1) / devices * bytes / linkBandwidth + 2 * (devices - 1) * latency',
  source: PATARASUK,
  validity: 'the slowest link of the ring is linkBandwidth in each direction; nothing else uses it',
  holds: ({ devices }) => devices >= 2,
  inputs: { devices: count, bytes: one('B'), linkBandwidth: one('B/s'), latency: or('s', 0) },
  output: 'time',
  unit: 's',
  via: ({ devices, bytes, linkBandwidth, latency }, apply) =>
    apply(transferTime, {
      bytes: apply(allReduceVolume, { devices, bytes }),
      linkBandwidth,
      latency: apply(ringLatency, { devices, latency }),
    }),
  also: {
    bytesPerDevice: {
      unit: 'B',
      is: '2 * (devices - 1) / devices * bytes',
      of: ({ devices, bytes }) => ((2 * (devices - 1)) / devices) * bytes,
    },
    bandwidthTime: {
      unit: 's',
      is: '2 * (devices - 1) / devices * bytes / linkBandwidth',
      of: ({ devices, bytes, linkBandwidth }) => (((2 * (devices - 1)) / devices) * bytes) / linkBandwidth,
    },
    latencyTime: { unit: 's', is: '2 * (devices - 1) * latency', of: ({ devices, latency = 0 }) => 2 * (devices - 1) * latency },
  },
})

export const allReduceBound = law({
  id: 'collective/all-reduce-bound',
  name: 'All-reduce over very many devices',
  decides: 'what a gradient exchange costs at best, before the number of devices is known',
  is: '2 * bytes',
  source: PATARASUK,
  validity: 'many devices: at 8 the exact ring sends an eighth less; latency left out',
  inputs: { bytes: one('B'), linkBandwidth: maybe('B/s') },
  output: 'bytesPerDevice',
  unit: 'B',
  of: ({ bytes }) => 2 * bytes,
  also: {
    time: {
      unit: 's',
      is: 'bytesPerDevice / linkBandwidth',
      of: ({ linkBandwidth = Number.NaN }, bytesPerDevice) => bytesPerDevice / linkBandwidth,
    },
  },
})

export const treeAllReduce = law({
  id: 'collective/tree-all-reduce',
  name: 'Binary tree all-reduce time',
  decides: 'whether a tree beats the ring for this message',
  is: '2 * log2(devices) * (latency + bytes / linkBandwidth)',
  source: vol2.collectiveCommunication,
  validity: 'the whole message goes up and down level by level; pipelined double trees do better',
  holds: ({ devices }) => devices >= 2,
  inputs: { devices: count, bytes: one('B'), linkBandwidth: one('B/s'), latency: or('s', 0) },
  output: 'time',
  unit: 's',
  of: ({ devices, bytes, linkBandwidth, latency = 0 }) => 2 * Math.log2(devices) * (latency + bytes / linkBandwidth),
  also: {
    latencyTime: { unit: 's', is: '2 * log2(devices) * latency', of: ({ devices, latency = 0 }) => 2 * Math.log2(devices) * latency },
    bandwidthTime: {
      unit: 's',
      is: '2 * log2(devices) * bytes / linkBandwidth',
      of: ({ devices, bytes, linkBandwidth }) => (2 * Math.log2(devices) * bytes) / linkBandwidth,
    },
  },
})

export const halvingDoublingAllReduce = law({
  id: 'collective/halving-doubling-all-reduce',
  name: 'Recursive halving and doubling all-reduce time',
  decides: 'whether a power-of-two group should leave the ring for few steps at full bandwidth',
  is: '2 * log2(devices) * latency + 2 * (devices - 1) / devices * bytes / linkBandwidth',
  source: THAKUR,
  validity: 'a power-of-two number of devices on a network where distant pairs do not share links',
  holds: ({ devices }) => Number.isInteger(Math.log2(devices)),
  inputs: { devices: count, bytes: one('B'), linkBandwidth: one('B/s'), latency: or('s', 0) },
  output: 'time',
  unit: 's',
  of: ({ devices, bytes, linkBandwidth, latency = 0 }) =>
    2 * Math.log2(devices) * latency + (((2 * (devices - 1)) / devices) * bytes) / linkBandwidth,
})

export const doubleTreeAllReduce = law({
  id: 'collective/double-tree-all-reduce',
  name: 'Double binary tree all-reduce time',
  decides: 'what a large group gains from two complementary trees',
  is: '2 * log2(devices) * latency + 2 * bytes / linkBandwidth',
  source:
    'P. Sanders, J. Speck, J. L. Traeff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel Computing 35, 2009',
  validity: 'message cut into enough pieces to fill the pipeline; first order, the cost of the pieces themselves left out',
  holds: ({ devices }) => devices >= 2,
  inputs: { devices: count, bytes: one('B'), linkBandwidth: one('B/s'), latency: or('s', 0) },
  output: 'time',
  unit: 's',
  of: ({ devices, bytes, linkBandwidth, latency = 0 }) => 2 * Math.log2(devices) * latency + (2 * bytes) / linkBandwidth,
})

// The book boxes devices * latency * linkBandwidth, which overstates the crossover by about log2(devices):
// it drops the tree's own bandwidth term. This is where the two times above are equal.
export const ringTreeCrossover = law({
  id: 'collective/ring-tree-crossover',
  name: 'Message size at which ring and tree take equally long',
  decides: 'from which message size on to use the ring instead of the tree',
  is: 'latency * linkBandwidth * (devices - 1 - log2(devices)) / (log2(devices) - (devices - 1) / devices)',
  source: `${vol2.collectiveCommunication}; crossover solved from the two cost models`,
  validity: 'plain binary tree against flat ring, neither hidden behind computation',
  inputs: { devices: one('1', { least: 2 }), linkBandwidth: one('B/s'), latency: one('s') },
  output: 'crossoverSize',
  unit: 'B',
  of: ({ devices, linkBandwidth, latency }) =>
    (latency * linkBandwidth * (devices - 1 - Math.log2(devices))) / (Math.log2(devices) - (devices - 1) / devices),
})

export const treeRingRatio = law({
  id: 'collective/tree-ring-ratio',
  name: 'Bandwidth penalty of a tree against a ring',
  decides: 'how much a tree costs once messages are large',
  is: 'log2(devices) / ((devices - 1) / devices)',
  source: vol2.collectiveCommunication,
  validity: 'large messages, latency negligible, the tree not pipelined',
  inputs: { devices: one('1', { least: 2 }) },
  output: 'ratio',
  unit: '1',
  of: ({ devices }) => Math.log2(devices) / ((devices - 1) / devices),
})

export const allReduceSteps = law({
  id: 'collective/steps',
  name: 'Steps of a ring and of a tree all-reduce',
  decides: 'how many latencies stand one after the other in an exchange',
  is: '2 * (devices - 1)',
  source: vol2.collectiveCommunication,
  validity: 'reduce and distribute both counted; tree steps are whole only for powers of two',
  inputs: { devices: count },
  output: 'ringSteps',
  unit: '1',
  of: ({ devices }) => 2 * (devices - 1),
  also: { treeSteps: { unit: '1', is: '2 * log2(devices)', of: ({ devices }) => 2 * Math.log2(devices) } },
})
