import { count, countOr, law, one } from '../law.ts'
import { vol2 } from '../sources.ts'
import { tolerantFloor } from '../whole.ts'

export const checkpointBandwidth = law({
  id: 'checkpoint/bandwidth',
  name: 'Storage bandwidth for a checkpoint window',
  decides: 'which write bandwidth the store must sustain',
  is: 'bytes / writeTime',
  source: vol2.dataStorage,
  validity: 'the whole state is written within the window, all writers together',
  inputs: { bytes: one('B'), writeTime: one('s') },
  output: 'storageBandwidth',
  unit: 'B/s',
  of: ({ bytes, writeTime }) => bytes / writeTime,
})

export const checkpointVolume = law({
  id: 'checkpoint/count-volume',
  name: 'Checkpoints written during a run',
  decides: 'how much a run writes, and how many checkpoints remain when only some are kept',
  is: 'time / interval * bytes',
  source: vol2.dataStorage,
  validity: 'full checkpoints of one size, no deduplication between them',
  inputs: { time: one('s'), interval: one('s'), bytes: one('B'), keepEvery: countOr(1) },
  output: 'volume',
  unit: 'B',
  of: ({ time, interval, bytes }) => (time / interval) * bytes,
  also: {
    count: { unit: '1', is: 'time / interval', of: ({ time, interval }) => time / interval },
    kept: {
      unit: '1',
      is: 'floor(count / keepEvery)',
      of: ({ time, interval, keepEvery = 1 }) => tolerantFloor(time / interval / keepEvery),
    },
    averageBandwidth: { unit: 'B/s', is: 'bytes / interval', of: ({ bytes, interval }) => bytes / interval },
  },
})

export const checkpointStorm = law({
  id: 'checkpoint/storm-time',
  name: 'Checkpoint storm of all nodes at once',
  decides: 'whether shared storage can take a synchronous save of every node',
  is: 'nodes * shardSize / storageBandwidth',
  source: vol2.dataStorage,
  validity:
    'all nodes write together and the shared store is the bottleneck; a shard is what one node writes after sharding, not the model',
  inputs: { nodes: count, shardSize: one('B'), storageBandwidth: one('B/s') },
  output: 'writeTime',
  unit: 's',
  of: ({ nodes, shardSize, storageBandwidth }) => (nodes * shardSize) / storageBandwidth,
  also: { volume: { unit: 'B', is: 'nodes * shardSize', of: ({ nodes, shardSize }) => nodes * shardSize } },
})

export const tieredSave = law({
  id: 'checkpoint/tiered-save',
  name: 'Two-tier save: local first, shared store behind',
  decides: 'how long training pauses for a save, and when the save is durable',
  is: 'shardSize / localBandwidth',
  source: vol2.dataStorage,
  validity:
    'the copy to the shared store runs beside training and ends within the interval; every node gets an equal part of the shared bandwidth',
  holds: ({ shardSize, sharedBandwidth, nodes, interval }) => (shardSize * nodes) / sharedBandwidth < interval,
  inputs: { shardSize: one('B'), localBandwidth: one('B/s'), sharedBandwidth: one('B/s'), nodes: count, interval: one('s') },
  output: 'pause',
  unit: 's',
  of: ({ shardSize, localBandwidth }) => shardSize / localBandwidth,
  also: {
    perNodeBandwidth: { unit: 'B/s', is: 'sharedBandwidth / nodes', of: ({ sharedBandwidth, nodes }) => sharedBandwidth / nodes },
    durableTime: {
      unit: 's',
      is: 'shardSize / perNodeBandwidth',
      of: ({ shardSize, sharedBandwidth, nodes }) => (shardSize * nodes) / sharedBandwidth,
    },
    overhead: { unit: '1', is: 'pause / interval', of: ({ interval }, pause) => pause / interval },
  },
})
