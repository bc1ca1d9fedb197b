import { count, law, list, one, or } from '../law.ts'
import { vol2 } from '../sources.ts'

export const hierarchicalAllReduce = law({
  id: 'collective/hierarchical-all-reduce',
  name: 'Two-level all-reduce, inside nodes and between them',
  decides: 'what a node with a fast inner fabric saves on the network between nodes',
  is: '2 * intraPhase + interPhase',
  source: vol2.collectiveCommunication,
  validity: 'every device has its own port to the network; phases run one after the other; inner latency negligible',
  inputs: {
    devicesPerNode: count,
    nodes: count,
    bytes: one('B'),
    intraBandwidth: one('B/s'),
    interBandwidth: one('B/s'),
    latency: or('s', 0),
  },
  output: 'total',
  unit: 's',
  of: ({ devicesPerNode, nodes, bytes, intraBandwidth, interBandwidth, latency = 0 }) =>
    2 * scatterTime({ group: devicesPerNode, bytes, bandwidth: intraBandwidth }) +
    2 * scatterTime({ group: nodes, bytes: bytes / devicesPerNode, bandwidth: interBandwidth }) +
    2 * (nodes - 1) * latency,
  also: {
    intraPhase: {
      unit: 's',
      is: '(devicesPerNode - 1) / devicesPerNode * bytes / intraBandwidth',
      of: ({ devicesPerNode, bytes, intraBandwidth }) => scatterTime({ group: devicesPerNode, bytes, bandwidth: intraBandwidth }),
    },
    interPhase: {
      unit: 's',
      is: '2 * (nodes - 1) / nodes * bytes / devicesPerNode / interBandwidth + 2 * (nodes - 1) * latency',
      of: ({ devicesPerNode, nodes, bytes, interBandwidth, latency = 0 }) =>
        2 * scatterTime({ group: nodes, bytes: bytes / devicesPerNode, bandwidth: interBandwidth }) + 2 * (nodes - 1) * latency,
    },
  },
})

export const threeLevelAllReduce = law({
  id: 'collective/three-level-all-reduce',
  name: 'Three-level all-reduce over node, rack and spine',
  decides: 'how little of a gradient exchange has to cross the spine',
  is: '2 * level1 + level2 + level3',
  source: vol2.collectiveCommunication,
  validity: 'large messages, latency left out; level 1 counts twice, scatter before and gather after, the other levels once',
  inputs: {
    devicesPerNode: count,
    nodesPerRack: count,
    racks: count,
    bytes: one('B'),
    intraBandwidth: one('B/s'),
    rackBandwidth: one('B/s'),
    spineBandwidth: one('B/s'),
  },
  output: 'total',
  unit: 's',
  of: ({ devicesPerNode, nodesPerRack, racks, bytes, intraBandwidth, rackBandwidth, spineBandwidth }) =>
    2 *
    (scatterTime({ group: devicesPerNode, bytes, bandwidth: intraBandwidth }) +
      scatterTime({ group: nodesPerRack, bytes: bytes / devicesPerNode, bandwidth: rackBandwidth }) +
      scatterTime({ group: racks, bytes: bytes / (devicesPerNode * nodesPerRack), bandwidth: spineBandwidth })),
  also: {
    level1: {
      unit: 's',
      is: '(devicesPerNode - 1) / devicesPerNode * bytes / intraBandwidth',
      of: ({ devicesPerNode, bytes, intraBandwidth }) => scatterTime({ group: devicesPerNode, bytes, bandwidth: intraBandwidth }),
    },
    level2: {
      unit: 's',
      is: '2 * (nodesPerRack - 1) / nodesPerRack * bytes / devicesPerNode / rackBandwidth',
      of: ({ devicesPerNode, nodesPerRack, bytes, rackBandwidth }) =>
        2 * scatterTime({ group: nodesPerRack, bytes: bytes / devicesPerNode, bandwidth: rackBandwidth }),
    },
    level3: {
      unit: 's',
      is: '2 * (racks - 1) / racks * bytes / (devicesPerNode * nodesPerRack) / spineBandwidth',
      of: ({ devicesPerNode, nodesPerRack, racks, bytes, spineBandwidth }) =>
        2 * scatterTime({ group: racks, bytes: bytes / (devicesPerNode * nodesPerRack), bandwidth: spineBandwidth }),
    },
    spineReduction: {
      unit: '1',
      is: 'devicesPerNode * nodesPerRack',
      of: ({ devicesPerNode, nodesPerRack }) => devicesPerNode * nodesPerRack,
    },
  },
})

export const torusAllReduce = law({
  id: 'collective/torus-all-reduce',
  name: 'Dimension by dimension all-reduce on a torus',
  decides: 'whether a torus of this shape serves the gradient exchange as well as a switched fabric',
  is: '2 * bytes / linkBandwidth + 2 * sum(dimensions) * latency',
  source: vol2.collectiveCommunication,
  validity: 'large torus, one dimension after the other; linkBandwidth is what a device can use in the current dimension',
  inputs: { dimensions: list('1', { least: 1 }), bytes: one('B'), linkBandwidth: one('B/s'), latency: or('s', 0) },
  output: 'time',
  unit: 's',
  of: ({ dimensions, bytes, linkBandwidth, latency = 0 }) =>
    (2 * bytes) / linkBandwidth + 2 * dimensions.reduce((sum, each) => sum + each, 0) * latency,
})

type Pass = { readonly group: number; readonly bytes: number; readonly bandwidth: number }

/** One ring pass (reduce-scatter or all-gather) over a group, bandwidth term only. */
const scatterTime = ({ group, bytes, bandwidth }: Pass): number => (((group - 1) / group) * bytes) / bandwidth
