import { count, law, maybe, one, or } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'
import { tolerantFloor, tolerantCeil } from '../whole.ts'

/** Light in glass, about two thirds of its speed in vacuum. */
const FIBER_SPEED = 2e8

export const propagation = law({
  id: 'network/propagation',
  name: 'One-way delay of fiber',
  decides: 'how far apart racks or sites may stand',
  is: 'distance / fiberSpeed',
  source: vol2.collectiveCommunication,
  validity: 'length of the fiber, which is longer than the straight line; switches and queues not counted',
  inputs: { distance: one('m'), fiberSpeed: or('m/s', FIBER_SPEED) },
  output: 'delay',
  unit: 's',
  of: ({ distance, fiberSpeed = FIBER_SPEED }) => distance / fiberSpeed,
})

export const lightFloor = law({
  id: 'network/light-floor',
  name: 'Least round trip over a distance',
  decides: 'whether a region is near enough for the latency budget',
  is: '2 * distance / fiberSpeed',
  source: vol1.mlSystems,
  validity: 'a floor: straight fiber, no routing, no queue, no computation',
  inputs: { distance: one('m'), fiberSpeed: or('m/s', FIBER_SPEED), latencyBudget: maybe('s') },
  output: 'roundTripTime',
  unit: 's',
  of: ({ distance, fiberSpeed = FIBER_SPEED }) => (2 * distance) / fiberSpeed,
  also: {
    slack: {
      unit: 's',
      is: 'latencyBudget - roundTripTime',
      of: ({ latencyBudget = Number.NaN }, roundTripTime) => latencyBudget - roundTripTime,
    },
  },
})

export const hopLatency = law({
  id: 'network/hop-latency',
  name: 'Latency of switch hops',
  decides: 'what a rail-optimized layout saves against a standard one',
  is: 'hops * hopLatency',
  source: vol2.networkFabrics,
  validity: 'unloaded switches of one kind; cables and queues come on top',
  inputs: { hops: one('1'), hopLatency: one('s') },
  output: 'latency',
  unit: 's',
  of: ({ hops, hopLatency }) => hops * hopLatency,
})

export const ringWorstPath = law({
  id: 'network/ring-worst-path',
  name: 'Longest path of a ring',
  decides: 'whether a ring topology is too long for latency-bound traffic',
  is: 'floor(devices / 2) * hopLatency',
  source: vol2.networkFabrics,
  validity: 'traffic takes the shorter way round',
  inputs: { devices: count, hopLatency: one('s') },
  output: 'latency',
  unit: 's',
  of: ({ devices, hopLatency }) => tolerantFloor(devices / 2) * hopLatency,
})

export const windowLimit = law({
  id: 'network/window-limit',
  name: 'Throughput of one connection with a limited window',
  decides: 'how many parallel streams a long link needs',
  is: 'min(linkBandwidth, window / roundTripTime)',
  source: 'D. Borman, B. Braden, V. Jacobson, R. Scheffenegger, TCP Extensions for High Performance, RFC 7323, 2014',
  validity: 'no loss; window is the smaller of the two ends',
  inputs: { window: one('B'), roundTripTime: one('s'), linkBandwidth: one('B/s') },
  output: 'bandwidth',
  unit: 'B/s',
  of: ({ window, roundTripTime, linkBandwidth }) => Math.min(linkBandwidth, window / roundTripTime),
  also: {
    streams: {
      unit: '1',
      is: 'ceil(linkBandwidth * roundTripTime / window)',
      of: ({ window, roundTripTime, linkBandwidth }) => tolerantCeil((linkBandwidth * roundTripTime) / window),
    },
  },
})

export const lossThroughput = law({
  id: 'network/loss-throughput',
  name: 'Throughput of one TCP connection under loss',
  decides: 'whether loss or distance limits a copy between regions, and how many streams it needs',
  is: 'segment / roundTripTime * sqrt(1.5 / lossRate)',
  source: 'M. Mathis, J. Semke, J. Mahdavi, T. Ott, The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm, CCR 27(3), 1997',
  validity: 'loss-based congestion control (Reno) with light random loss, an acknowledgement per segment; CUBIC and BBR do better',
  holds: ({ lossRate }) => lossRate > 0 && lossRate < 0.05,
  inputs: { segment: or('B', 1460), roundTripTime: one('s'), lossRate: one('1', { most: 1 }), linkBandwidth: maybe('B/s') },
  output: 'bandwidth',
  unit: 'B/s',
  of: ({ segment = 1460, roundTripTime, lossRate }) => (segment / roundTripTime) * Math.sqrt(1.5 / lossRate),
  also: {
    streams: {
      unit: '1',
      is: 'ceil(linkBandwidth / bandwidth)',
      of: ({ linkBandwidth = Number.NaN }, bandwidth) => tolerantCeil(linkBandwidth / bandwidth),
    },
  },
})
