import { count, law, one, or } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

const HOCKNEY = 'R. W. Hockney, The communication challenge for MPP: Intel Paragon and Meiko CS-2, Parallel Computing 20(3), 1994'

export const transferTime = law({
  id: 'network/transfer-time',
  name: 'Time to move a message (alpha-beta model)',
  decides: 'how long a transfer takes, and whether latency or bandwidth rules it',
  is: 'latency + bytes / linkBandwidth',
  source: HOCKNEY,
  validity: 'one message on an idle link at its achievable, not its advertised, bandwidth',
  inputs: { bytes: one('B'), linkBandwidth: one('B/s'), latency: or('s', 0) },
  output: 'time',
  unit: 's',
  of: ({ bytes, linkBandwidth, latency = 0 }) => latency + bytes / linkBandwidth,
  also: { latencyShare: { unit: '1', is: 'latency / time', of: ({ latency = 0 }, time) => latency / time } },
})

export const crossoverSize = law({
  id: 'network/crossover-size',
  name: 'Message size at which latency and bandwidth weigh the same',
  decides: 'whether to fuse messages (below) or to add bandwidth and compress (above)',
  is: 'latency * linkBandwidth',
  source: HOCKNEY,
  validity: 'alpha-beta model with measured latency; the same product is the bytes in flight that keep a link busy',
  inputs: { latency: one('s'), linkBandwidth: one('B/s') },
  output: 'crossoverSize',
  unit: 'B',
  of: ({ latency, linkBandwidth }) => latency * linkBandwidth,
})

export const fusionSpeedup = law({
  id: 'network/fusion-speedup',
  name: 'Speedup of sending many messages as one',
  decides: 'whether to bucket small gradients',
  is: 'separateTime / fusedTime',
  source: vol2.collectiveCommunication,
  validity: 'messages would otherwise go one after the other; packing costs nothing',
  inputs: { messages: count, bytes: one('B'), linkBandwidth: one('B/s'), latency: one('s') },
  output: 'speedup',
  unit: '1',
  of: ({ messages, bytes, linkBandwidth, latency }) =>
    (messages * (latency + bytes / linkBandwidth)) / (latency + (messages * bytes) / linkBandwidth),
  also: {
    separateTime: {
      unit: 's',
      is: 'messages * (latency + bytes / linkBandwidth)',
      of: ({ messages, bytes, linkBandwidth, latency }) => messages * (latency + bytes / linkBandwidth),
    },
    fusedTime: {
      unit: 's',
      is: 'latency + messages * bytes / linkBandwidth',
      of: ({ messages, bytes, linkBandwidth, latency }) => latency + (messages * bytes) / linkBandwidth,
    },
  },
})

export const transferOpportunity = law({
  id: 'network/transfer-opportunity',
  name: 'Operations an accelerator forgoes while it waits for a transfer',
  decides: 'whether to keep data resident or recompute it instead of moving it',
  is: 'peakFlops * bytes / linkBandwidth',
  source: vol1.mlFrameworks,
  validity: 'nothing else runs during the transfer; peak rate, so an upper bound',
  inputs: { bytes: one('B'), linkBandwidth: one('B/s'), peakFlops: one('FLOP/s') },
  output: 'flopsForgone',
  unit: 'FLOP',
  of: ({ bytes, linkBandwidth, peakFlops }) => (peakFlops * bytes) / linkBandwidth,
  also: { time: { unit: 's', is: 'bytes / linkBandwidth', of: ({ bytes, linkBandwidth }) => bytes / linkBandwidth } },
})

export const locality = law({
  id: 'network/locality',
  name: 'Data locality inequality',
  decides: 'whether the network or the remote work dominates an offloaded request',
  is: 'bytes / linkBandwidth / remoteTime',
  source: vol1.mlSystems,
  validity: 'remoteTime is network latency plus remote computation; the transfer is not overlapped',
  inputs: { bytes: one('B'), linkBandwidth: one('B/s'), remoteTime: one('s') },
  output: 'ratio',
  unit: '1',
  of: ({ bytes, linkBandwidth, remoteTime }) => bytes / linkBandwidth / remoteTime,
  also: { transferTime: { unit: 's', is: 'bytes / linkBandwidth', of: ({ bytes, linkBandwidth }) => bytes / linkBandwidth } },
})

export const uplinkShare = law({
  id: 'network/uplink-share',
  name: 'Share of an uplink that a periodic upload takes',
  decides: 'whether a site can send its data away at all',
  is: 'bytes / linkBandwidth / period',
  source: vol1.mlWorkflow,
  validity: 'the link carries nothing else; above 1 the upload never catches up',
  inputs: { bytes: one('B'), linkBandwidth: one('B/s'), period: one('s') },
  output: 'share',
  unit: '1',
  of: ({ bytes, linkBandwidth, period }) => bytes / linkBandwidth / period,
  also: { transferTime: { unit: 's', is: 'bytes / linkBandwidth', of: ({ bytes, linkBandwidth }) => bytes / linkBandwidth } },
})

export const bufferAbsorbTime = law({
  id: 'network/buffer-absorb-time',
  name: 'Time an incast takes to fill a switch buffer',
  decides: 'how long an incast a switch can take before it drops or pauses',
  is: 'bufferSize / ((senders - 1) * linkBandwidth)',
  source: vol2.networkFabrics,
  validity: 'shared buffer wholly free, every link of one speed, all senders toward one port at full rate',
  inputs: { bufferSize: one('B'), linkBandwidth: one('B/s'), senders: or('1', 2, { least: 2 }) },
  output: 'time',
  unit: 's',
  of: ({ bufferSize, linkBandwidth, senders = 2 }) => bufferSize / ((senders - 1) * linkBandwidth),
})
