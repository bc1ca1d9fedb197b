import { DAY } from '@ironlaw/units'
import { count, law, list, one, share } from '../law.ts'
import { isPaired, type Pairs, pairSum } from '../pairs.ts'
import { vol1, vol2 } from '../sources.ts'

export const pointsPerDay = law({
  id: 'monitoring/points-per-day',
  name: 'Measurements per day',
  decides: 'what a metrics store or a sensor pipeline must take in',
  is: 'sources * sampleRate * day',
  source: `${vol2.computeInfrastructure}; ${vol2.edgeIntelligence}`,
  validity: 'every source samples steadily; times the metrics of each source where it has several',
  inputs: { sources: count, sampleRate: one('1/s') },
  output: 'points',
  unit: '1',
  of: ({ sources, sampleRate }) => sources * sampleRate * DAY,
})

export const logVolume = law({
  id: 'monitoring/log-volume',
  name: 'Log volume per day',
  decides: 'what share of requests to log',
  is: 'requestRate * sampleShare * day * eventSize',
  source: vol2.responsibleEngineering,
  validity: 'average traffic over the day, events stored uncompressed',
  inputs: { requestRate: one('1/s'), sampleShare: share, eventSize: one('B') },
  output: 'volume',
  unit: 'B',
  of: ({ requestRate, sampleShare, eventSize }) => requestRate * sampleShare * DAY * eventSize,
  also: {
    events: { unit: '1', is: 'requestRate * sampleShare * day', of: ({ requestRate, sampleShare }) => requestRate * sampleShare * DAY },
  },
})

export const tieredRetention = law({
  id: 'monitoring/tiered-retention',
  name: 'Storage saved by thinning old metrics',
  decides: 'how long to keep metrics at which resolution',
  is: '1 - sum(duration / interval) / (retention / baseInterval)',
  source: vol1.mlOperations,
  validity: 'points of one size in every tier; tiers that overlap are stored twice',
  holds: ({ duration, interval }) => isPaired([duration, interval]),
  inputs: { retention: one('s'), baseInterval: one('s'), duration: list('s'), interval: list('s') },
  output: 'reduction',
  unit: '1',
  of: ({ retention, baseInterval, duration, interval }) => 1 - (pointsIn([duration, interval]) * baseInterval) / retention,
  also: {
    fullPoints: { unit: '1', is: 'retention / baseInterval', of: ({ retention, baseInterval }) => retention / baseInterval },
    tieredPoints: { unit: '1', is: 'sum(duration / interval)', of: ({ duration, interval }) => pointsIn([duration, interval]) },
  },
})

export const monitoringCost = law({
  id: 'monitoring/cost',
  name: 'Cost of monitoring a service',
  decides: 'whether to save on points, on retention or on dashboards',
  is: 'points * pricePerMillionPoints / 1e6 + points * bytesPerPoint * storagePrice + dashboards * users * queriesPerUser * pricePerQuery where points = variants * metrics * retention / interval',
  source: vol1.mlOperations,
  validity: 'for one retention period, storage billed once for that period; alerts and people not counted',
  inputs: {
    variants: count,
    metrics: count,
    interval: one('s'),
    retention: one('s'),
    pricePerMillionPoints: one('USD'),
    bytesPerPoint: one('B'),
    storagePrice: one('USD/B'),
    dashboards: one('1'),
    users: one('1'),
    queriesPerUser: one('1'),
    pricePerQuery: one('USD'),
  },
  output: 'total',
  unit: 'USD',
  of: (input) =>
    pointsOf(input) * (input.pricePerMillionPoints / 1e6 + input.bytesPerPoint * input.storagePrice) +
    queriesOf(input) * input.pricePerQuery,
  also: {
    points: { unit: '1', is: 'variants * metrics * retention / interval', of: (input) => pointsOf(input) },
    ingestCost: {
      unit: 'USD',
      is: 'points * pricePerMillionPoints / 1e6',
      of: (input) => (pointsOf(input) * input.pricePerMillionPoints) / 1e6,
    },
    storageBytes: { unit: 'B', is: 'points * bytesPerPoint', of: (input) => pointsOf(input) * input.bytesPerPoint },
    storageCost: {
      unit: 'USD',
      is: 'storageBytes * storagePrice',
      of: (input) => pointsOf(input) * input.bytesPerPoint * input.storagePrice,
    },
    queries: { unit: '1', is: 'dashboards * users * queriesPerUser', of: (input) => queriesOf(input) },
    queryCost: { unit: 'USD', is: 'queries * pricePerQuery', of: (input) => queriesOf(input) * input.pricePerQuery },
    queryShare: { unit: '1', is: 'queryCost / total', of: (input, total) => (queriesOf(input) * input.pricePerQuery) / total },
  },
})

type Queries = { readonly dashboards: number; readonly users: number; readonly queriesPerUser: number }
type Series = { readonly variants: number; readonly metrics: number; readonly retention: number; readonly interval: number }

const pointsOf = ({ variants, metrics, retention, interval }: Series): number => (variants * metrics * retention) / interval

const queriesOf = ({ dashboards, users, queriesPerUser }: Queries): number => dashboards * users * queriesPerUser

const pointsIn = (tiers: Pairs): number => pairSum(tiers, (duration, interval) => duration / interval)
