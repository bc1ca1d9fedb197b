// Collectives as they run: a start, a rate, and a ramp between the two; across nodes through every port of the group. The
// planner times every exchange of a plan by these.

import { count, law, one, share } from '../law.ts'
import { THAKUR } from '../sources.ts'

export const rampedCollective = law({
  id: 'collective/ramped-collective',
  name: 'Collective with a start, a rate and a ramp',
  decides: 'how large messages must be before the links are well used',
  is: 'start + (bytesPerDevice + sqrt(rampBytes * bytesPerDevice)) / busBandwidth',
  source: 'fitted to published nccl-tests tables, one set of coefficients per device, collective and group size',
  validity: 'inside a node; at rampBytes the message moves at half of the rate',
  inputs: { start: one('s'), bytesPerDevice: one('B'), busBandwidth: one('B/s'), rampBytes: one('B') },
  output: 'time',
  unit: 's',
  of: ({ start, bytesPerDevice, busBandwidth, rampBytes }) =>
    start + (bytesPerDevice + Math.sqrt(rampBytes * bytesPerDevice)) / busBandwidth,
})

export const acrossNodesBandwidth = law({
  id: 'collective/across-nodes-bandwidth',
  name: 'Rate of rings through all ports of a group',
  decides: 'whether more ranks per node or faster ports speed up an exchange',
  is: 'min(ranksPerNode * portBandwidth * portShare, linkBandwidth * linkShare)',
  source: `${THAKUR}; NCCL opens as many rings as the group has ports in a node`,
  validity: 'every rank owns a port; neighbours in a node pass on what the ports bring',
  inputs: { ranksPerNode: count, portBandwidth: one('B/s'), portShare: share, linkBandwidth: one('B/s'), linkShare: share },
  output: 'busBandwidth',
  unit: 'B/s',
  of: ({ ranksPerNode, portBandwidth, portShare, linkBandwidth, linkShare }) =>
    Math.min(ranksPerNode * portBandwidth * portShare, linkBandwidth * linkShare),
})

export const allToAllAcrossNodes = law({
  id: 'collective/all-to-all-across-nodes',
  name: 'All-to-all across nodes',
  decides: 'whether experts may be spread over nodes',
  is: 'max(bytes * (nodes - 1) / nodes / (portBandwidth * portShare), bytes * (ranksPerNode - 1) / (nodes * ranksPerNode) / (linkBandwidth * linkShare))',
  source: `${THAKUR}; both networks at once`,
  validity: 'every rank sends equal parts to all others; start of messages not counted',
  inputs: {
    bytes: one('B'),
    nodes: count,
    ranksPerNode: count,
    portBandwidth: one('B/s'),
    portShare: share,
    linkBandwidth: one('B/s'),
    linkShare: share,
  },
  output: 'time',
  unit: 's',
  of: ({ bytes, nodes, ranksPerNode, portBandwidth, portShare, linkBandwidth, linkShare }) =>
    Math.max(
      (bytes * (nodes - 1)) / nodes / (portBandwidth * portShare),
      (bytes * (ranksPerNode - 1)) / (nodes * ranksPerNode) / (linkBandwidth * linkShare),
    ),
})

export const boundedOverlap = law({
  id: 'collective/bounded-overlap',
  name: 'Exchange that work hides',
  decides: 'how much of an exchange lengthens the step',
  is: 'overlapShare * min(exchangeTime, workTime)',
  source: 'an exchange is hidden only by work that runs beside it',
  validity: 'overlapShare is what the software manages to run side by side; work that hides one exchange hides no other',
  inputs: { exchangeTime: one('s'), overlapShare: share, workTime: one('s') },
  output: 'hidden',
  unit: 's',
  of: ({ exchangeTime, overlapShare, workTime }) => overlapShare * Math.min(exchangeTime, workTime),
  also: { exposed: { unit: 's', is: 'exchangeTime - hidden', of: ({ exchangeTime }, hidden) => exchangeTime - hidden } },
})
