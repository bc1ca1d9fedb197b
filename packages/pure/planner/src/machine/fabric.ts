// What an exchange among devices costs over the link hierarchy. A group of ranks is laid out by its stride: neighbours at stride 1
// fill a node first, so a group may lie inside a node, across nodes with several ranks in each, or with one rank per node.
// A rank across nodes owns its network port; ranks of one group in one node add theirs up.

import { bare } from '@ironlaw/laws/law'
import { acrossNodesBandwidth, allToAllAcrossNodes, rampedCollective } from '@ironlaw/laws/collective/measured'
import type { CollectiveCurve, CollectiveName, Silicon } from './silicon.ts'

const rampedCollectiveOf = bare(rampedCollective)
const acrossNodesBandwidthOf = bare(acrossNodesBandwidth)
const allToAllAcrossNodesOf = bare(allToAllAcrossNodes)

export type Fabric = {
  readonly perNode: number
  readonly silicon: Silicon
  /** One direction, per device, inside a node (or rack-scale domain). */
  readonly linkBandwidth: number
  /** One direction, per device, between nodes: the node's ports divided by its devices. */
  readonly portBandwidth: number
  readonly portLatency: number
  /** Spread of speed from node to node in synchronous runs, one standard deviation, relative. */
  readonly nodeSpread: number
}

export type Span = { readonly size: number; readonly inNode: number }

export const spanOf = ({ perNode }: Fabric, size: number, stride: number): Span => ({
  size,
  inNode: Math.max(1, Math.min(size, Math.floor(perNode / stride))),
})

/** Share of the port rate that large messages reach: headers, congestion, imperfect pipelining. */
export const PORT_EFFICIENCY = 0.85
/** Where nothing was measured: share of the link rate and start-up time of a collective inside a node. */
export const LINK_EFFICIENCY = 0.75
export const LINK_ALPHA = 12e-6
/** One hop of a ring: across nodes as a share of a message's latency, for the pipeline of chunks is already running; inside a node in seconds. */
const RING_HOP = 0.4
const LINK_HOP = 1.5e-6

/** Bytes each rank sends, as a multiple of the message, in the bandwidth-optimal algorithm. */
const volumeOf = (name: CollectiveName, size: number): number => ((name === 'all-reduce' ? 2 : 1) * (size - 1)) / size

export type Exchange = {
  readonly name: CollectiveName
  readonly bytes: number
  readonly span: Span
  /** Into how many collectives the bytes are cut: a layer, a tensor at a time. Each starts anew. */
  readonly calls?: number
}

/** Time of a collective; `bytes` as in nccl-tests: the whole buffer, or for all-to-all what one rank sends. */
export function collectiveTime(fabric: Fabric, { name, bytes, span, calls = 1 }: Exchange): number {
  if (span.size <= 1 || bytes <= 0) return 0
  if (calls > 1) return calls * collectiveTime(fabric, { name, bytes: bytes / calls, span })
  if (span.inNode >= span.size) return inNodeTime(fabric, { name, bytes, span })
  return name === 'all-to-all' ? exchangeAcross(fabric, bytes, span) : reduceAcross(fabric, { name, bytes, span })
}

function inNodeTime(fabric: Fabric, { name, bytes, span: { size } }: Exchange): number {
  const volume = bytes * volumeOf(name, size)
  const curve = curveFor(fabric.silicon, name, size)
  if (!curve) return LINK_ALPHA + volume / (fabric.linkBandwidth * LINK_EFFICIENCY)
  const scale = fabric.linkBandwidth / fabric.silicon.reference.link_bytes_per_s
  return rampedCollectiveOf({
    start: curve.alpha_s,
    bytesPerDevice: volume,
    busBandwidth: curve.beta_bytes_per_s * scale,
    rampBytes: (curve.ramp_s_per_root_byte * curve.beta_bytes_per_s) ** 2,
  })
}

/** The measured group size at or above the asked one; measurements exist for 2, 4 and 8 ranks. */
function curveFor(silicon: Silicon, name: CollectiveName, size: number): CollectiveCurve | undefined {
  const bySize = silicon.collectives[name]
  return bySize?.[size <= 2 ? '2' : size <= 4 ? '4' : '8'] ?? bySize?.['4'] ?? bySize?.['2']
}

/** Rings through every port of the group in a node, or trees whose depth grows with the logarithm of the nodes. */
function reduceAcross(fabric: Fabric, { name, bytes, span: { size, inNode } }: Exchange): number {
  const nodes = size / inNode
  const bus = acrossNodesBandwidthOf({
    ranksPerNode: inNode,
    portBandwidth: fabric.portBandwidth,
    portShare: PORT_EFFICIENCY,
    linkBandwidth: fabric.linkBandwidth,
    linkShare: LINK_EFFICIENCY,
  })
  // Trees serve reductions; gathering and scattering go round a ring of all ranks, hop by hop.
  const latency =
    name === 'all-reduce' ? 2 * fabric.portLatency * Math.log2(nodes) : nodes * RING_HOP * fabric.portLatency + (size - nodes) * LINK_HOP
  return latency + LINK_ALPHA + (bytes * volumeOf(name, size)) / bus
}

/** Each rank sends equal parts to all others: those in its node over the link, the rest through its port, at once. */
function exchangeAcross(fabric: Fabric, bytes: number, { size, inNode }: Span): number {
  const nodes = size / inNode
  const time = allToAllAcrossNodesOf({
    bytes,
    nodes,
    ranksPerNode: inNode,
    portBandwidth: fabric.portBandwidth,
    portShare: PORT_EFFICIENCY,
    linkBandwidth: fabric.linkBandwidth,
    linkShare: LINK_EFFICIENCY,
  })
  return fabric.portLatency * Math.log2(nodes) + LINK_ALPHA + time
}

/** Start of a message inside a node. */
const LINK_SEND = 8e-6

/** One message to the neighbour in a group of `size` ranks at a stride; across nodes as soon as any of the group's hops is. */
export function sendTime(fabric: Fabric, bytes: number, { size, stride }: { readonly size: number; readonly stride: number }): number {
  const inside = stride * size <= fabric.perNode
  return inside
    ? LINK_SEND + bytes / (fabric.linkBandwidth * LINK_EFFICIENCY)
    : fabric.portLatency + bytes / (fabric.portBandwidth * PORT_EFFICIENCY)
}
