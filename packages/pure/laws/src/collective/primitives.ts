import { count, countOr, law, one, or } from '../law.ts'
import { THAKUR, ZERO, vol2 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

export const allGather = law({
  id: 'collective/all-gather',
  name: 'Ring all-gather time',
  decides: 'how long it takes to bring sharded weights together before a layer runs',
  is: '(devices - 1) * latency + (devices - 1) / devices * bytes / linkBandwidth',
  source: THAKUR,
  validity: 'bytes is the gathered whole, each device starts with an equal share of it',
  inputs: { devices: count, bytes: one('B'), linkBandwidth: one('B/s'), latency: or('s', 0) },
  output: 'time',
  unit: 's',
  of: ringPass,
})

export const reduceScatter = law({
  id: 'collective/reduce-scatter',
  name: 'Ring reduce-scatter time',
  decides: 'how long it takes to sum gradients and leave each device its shard',
  is: '(devices - 1) * latency + (devices - 1) / devices * bytes / linkBandwidth',
  source: THAKUR,
  validity: 'bytes is the whole vector on each device; the additions themselves hide behind the transfer',
  inputs: { devices: count, bytes: one('B'), linkBandwidth: one('B/s'), latency: or('s', 0) },
  output: 'time',
  unit: 's',
  of: ringPass,
})

export const allToAll = law({
  id: 'collective/all-to-all',
  name: 'Pairwise all-to-all time',
  decides: 'whether expert or embedding exchange fits into a layer',
  is: '(devices - 1) * latency + (devices - 1) / devices * bytes / linkBandwidth',
  source: THAKUR,
  validity: 'bytes is what one device sends in all, its own share included, spread evenly; full bisection bandwidth',
  inputs: { devices: count, bytes: one('B'), linkBandwidth: one('B/s'), latency: or('s', 0) },
  output: 'time',
  unit: 's',
  of: ringPass,
})

export const broadcast = law({
  id: 'collective/broadcast',
  name: 'Binomial tree broadcast time',
  decides: 'how long one copy of the weights takes to reach every device',
  is: 'ceil(log2(devices)) * (latency + bytes / linkBandwidth)',
  source: THAKUR,
  validity: 'the message sent whole at each level; long messages go faster by scatter and all-gather',
  inputs: { devices: count, bytes: one('B'), linkBandwidth: one('B/s'), latency: or('s', 0) },
  output: 'time',
  unit: 's',
  of: ({ devices, bytes, linkBandwidth, latency = 0 }) => tolerantCeil(Math.log2(devices)) * (latency + bytes / linkBandwidth),
})

export const parameterServer = law({
  id: 'collective/parameter-server',
  name: 'Time to push all gradients to parameter servers',
  decides: 'how many servers keep the push from being the bottleneck, and when all-reduce is better',
  is: 'workers * bytes / (servers * linkBandwidth)',
  source: vol2.collectiveCommunication,
  validity: 'servers hold equal shards and their links are the narrow place; pulling the weights back takes as long again',
  inputs: { workers: count, bytes: one('B'), servers: countOr(1), linkBandwidth: one('B/s') },
  output: 'time',
  unit: 's',
  of: ({ workers, bytes, servers = 1, linkBandwidth }) => (workers * bytes) / (servers * linkBandwidth),
})

export const shardedVolume = law({
  id: 'collective/sharded-volume',
  name: 'Bytes each device sends per step when weights, gradients and optimizer are sharded',
  decides: 'whether the memory saved by full sharding is worth half as much traffic again',
  is: '3 * (devices - 1) / devices * bytes',
  source: ZERO,
  validity: 'weights gathered for forward and again for backward, gradients scattered once; bytes at the width that is sent',
  inputs: { devices: count, bytes: one('B') },
  output: 'bytesPerDevice',
  unit: 'B',
  of: ({ devices, bytes }) => ((3 * (devices - 1)) / devices) * bytes,
})

export const busBandwidth = law({
  id: 'collective/bus-bandwidth',
  name: 'Bus bandwidth of a measured all-reduce',
  decides: 'whether a measured exchange uses the links as it should',
  is: 'bytes / time * 2 * (devices - 1) / devices',
  source: 'NVIDIA nccl-tests, doc/PERFORMANCE.md',
  validity: 'all-reduce; comparable with the link only where the algorithm moves what a ring moves, so not with reduction in the switch',
  inputs: { bytes: one('B'), time: one('s'), devices: count },
  output: 'bandwidth',
  unit: 'B/s',
  of: ({ bytes, time, devices }) => ((bytes / time) * 2 * (devices - 1)) / devices,
  also: { algorithmBandwidth: { unit: 'B/s', is: 'bytes / time', of: ({ bytes, time }) => bytes / time } },
})

/** Gather, scatter and pairwise exchange share one cost: a message to every other device, an equal share in each. */
function ringPass({ devices, bytes, linkBandwidth, latency = 0 }: RingPass): number {
  return (devices - 1) * latency + (((devices - 1) / devices) * bytes) / linkBandwidth
}

type RingPass = { readonly devices: number; readonly bytes: number; readonly linkBandwidth: number; readonly latency?: number | undefined }
