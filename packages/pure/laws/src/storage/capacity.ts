import { DAY } from '@ironlaw/units'
import { count, law, one, or } from '../law.ts'
import { vol2 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

export const storageCost = law({
  id: 'storage/cost',
  name: 'Price of keeping data',
  decides: 'which tier to keep data on, and for how long',
  is: 'bytes * pricePerGbMonth * months',
  source: vol2.dataStorage,
  validity: 'capacity price alone: requests, egress and minimum retention come on top',
  inputs: { bytes: one('B'), pricePerGbMonth: one('USD/B'), months: or('1', 1) },
  output: 'cost',
  unit: 'USD',
  of: ({ bytes, pricePerGbMonth, months = 1 }) => bytes * pricePerGbMonth * months,
})

export const streamVsStage = law({
  id: 'storage/stream-vs-stage',
  name: 'Yearly saving of staging data locally instead of streaming it every epoch',
  decides: 'whether to copy a data set to fast local storage',
  is: 'streamCost - stageCost',
  source: vol2.dataStorage,
  validity: 'every epoch streams everything and pays egress, staging pays it once per run; local storage rented all year',
  inputs: {
    bytes: one('B'),
    objectPricePerGbMonth: one('USD/B'),
    nvmePricePerGbMonth: one('USD/B'),
    egressPrice: one('USD/B'),
    epochs: one('1'),
    runsPerYear: one('1'),
  },
  output: 'saving',
  unit: 'USD',
  of: ({ bytes, nvmePricePerGbMonth, egressPrice, epochs, runsPerYear }) =>
    bytes * ((epochs - 1) * runsPerYear * egressPrice - nvmePricePerGbMonth * 12),
  also: {
    streamCost: {
      unit: 'USD',
      is: 'bytes * (objectPricePerGbMonth * 12 + epochs * runsPerYear * egressPrice)',
      of: ({ bytes, objectPricePerGbMonth, egressPrice, epochs, runsPerYear }) =>
        bytes * (objectPricePerGbMonth * 12 + epochs * runsPerYear * egressPrice),
    },
    stageCost: {
      unit: 'USD',
      is: 'bytes * (objectPricePerGbMonth * 12 + nvmePricePerGbMonth * 12 + runsPerYear * egressPrice)',
      of: ({ bytes, objectPricePerGbMonth, nvmePricePerGbMonth, egressPrice, runsPerYear }) =>
        bytes * (objectPricePerGbMonth * 12 + nvmePricePerGbMonth * 12 + runsPerYear * egressPrice),
    },
    breakEvenEpochs: {
      unit: '1',
      is: '1 + nvmePricePerGbMonth * 12 / (runsPerYear * egressPrice)',
      of: ({ nvmePricePerGbMonth, egressPrice, runsPerYear }) => 1 + (nvmePricePerGbMonth * 12) / (runsPerYear * egressPrice),
    },
  },
})

// Object stores price requests by the thousand; read as a price per request it makes small files look a thousand times dearer.
export const requestCost = law({
  id: 'storage/request-cost',
  name: 'Price of object store requests',
  decides: 'whether small objects are worth packing for the request price alone',
  is: 'requests * pricePerThousand / 1000',
  source: vol2.dataStorage,
  validity: 'one class of request; reading large objects in ranges counts each range',
  inputs: { requests: one('1'), pricePerThousand: one('USD') },
  output: 'cost',
  unit: 'USD',
  of: ({ requests, pricePerThousand }) => (requests * pricePerThousand) / 1000,
})

export const erasureOverhead = law({
  id: 'storage/erasure-overhead',
  name: 'Space overhead of an erasure code',
  decides: 'whether to code or to replicate bulk data',
  is: '(dataFragments + parityFragments) / dataFragments',
  source: 'H. Weatherspoon, J. Kubiatowicz, Erasure Coding vs. Replication: A Quantitative Comparison, IPTPS 2002',
  validity: 'any parityFragments losses are survived; repair reads dataFragments fragments, small writes pay more',
  inputs: { dataFragments: count, parityFragments: one('1') },
  output: 'overhead',
  unit: '1',
  of: ({ dataFragments, parityFragments }) => (dataFragments + parityFragments) / dataFragments,
})

export const shardCount = law({
  id: 'storage/shard-count',
  name: 'Shards of a data set',
  decides: 'how many archive files to pack samples into',
  is: 'ceil(samples * sampleSize / shardSize)',
  source: vol2.dataStorage,
  validity: 'archive headers small against the samples',
  inputs: { samples: count, sampleSize: one('B'), shardSize: one('B') },
  output: 'shards',
  unit: '1',
  of: ({ samples, sampleSize, shardSize }) => tolerantCeil((samples * sampleSize) / shardSize),
})

export const shardCollision = law({
  id: 'storage/shard-collision',
  name: 'Chance that two readers meet on one shard',
  decides: 'how many shards keep random readers from queueing on each other',
  is: '1 - exp(-readers * (readers - 1) / (2 * shards))',
  source: vol2.dataStorage,
  validity: 'birthday approximation: independent uniform choice, many more shards than readers',
  holds: ({ readers, shards }) => readers <= shards / 10,
  inputs: { readers: count, shards: count },
  output: 'probability',
  unit: '1',
  of: ({ readers, shards }) => -Math.expm1((-readers * (readers - 1)) / (2 * shards)),
})

export const ssdEndurance = law({
  id: 'storage/ssd-endurance',
  name: 'Bytes a solid-state drive may write in its warranted life',
  decides: 'whether a drive class survives as checkpoint or cache device',
  is: 'driveWritesPerDay * capacity * 365 * years',
  source: vol2.dataStorage,
  validity: 'rated workload; small random writes wear faster than their bytes',
  inputs: { driveWritesPerDay: one('1'), capacity: one('B'), years: one('1') },
  output: 'lifetimeWrites',
  unit: 'B',
  of: ({ driveWritesPerDay, capacity, years }) => driveWritesPerDay * capacity * 365 * years,
})

export const dailyWrites = law({
  id: 'storage/daily-writes',
  name: 'Bytes written per day at a fixed interval',
  decides: 'how fast periodic checkpoints wear a drive or fill a tier',
  is: 'bytes * day / interval',
  source: vol2.dataStorage,
  validity: 'every write is of the same size and none is skipped',
  inputs: { bytes: one('B'), interval: one('s') },
  output: 'writes',
  unit: 'B',
  of: ({ bytes, interval }) => (bytes * DAY) / interval,
})

export const fiveMinuteRule = law({
  id: 'storage/five-minute-rule',
  name: 'Five-minute rule',
  decides: 'what to keep in memory: all that is read more often than this interval',
  is: 'drivePrice / (accessRate * pageBytes * memoryPrice)',
  source: 'J. Gray, F. Putzolu, The 5 Minute Rule for Trading Memory for Disc Accesses and the 10 Byte Rule, SIGMOD 1987',
  validity: 'random page reads; price alone decides, not latency',
  inputs: { drivePrice: one('USD'), accessRate: one('1/s'), pageBytes: one('B'), memoryPrice: one('USD/B') },
  output: 'interval',
  unit: 's',
  of: ({ drivePrice, accessRate, pageBytes, memoryPrice }) => drivePrice / (accessRate * pageBytes * memoryPrice),
})

export const arrayDataLoss = law({
  id: 'storage/array-data-loss',
  name: 'Mean time to data loss of single-parity drive groups',
  decides: 'whether single parity is enough for this many drives',
  is: 'driveMtbf^2 / (drives * (groupSize - 1) * repairTime)',
  source: 'D. A. Patterson, G. Gibson, R. H. Katz, A Case for Redundant Arrays of Inexpensive Disks (RAID), SIGMOD 1988',
  validity: 'independent failures at a constant rate, repair short; unreadable sectors during a rebuild make it worse',
  holds: ({ driveMtbf, groupSize, repairTime }) => groupSize * repairTime < driveMtbf / 10,
  inputs: { driveMtbf: one('s'), drives: count, groupSize: one('1', { least: 2 }), repairTime: one('s') },
  output: 'mtbf',
  unit: 's',
  of: ({ driveMtbf, drives, groupSize, repairTime }) => driveMtbf ** 2 / (drives * (groupSize - 1) * repairTime),
})
