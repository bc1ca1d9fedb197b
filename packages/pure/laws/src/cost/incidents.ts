import { DAY } from '@ironlaw/units'
import { law, one, or, share } from '../law.ts'
import { vol2 } from '../sources.ts'

export const outageCost = law({
  id: 'cost/outage',
  name: 'Revenue lost to an outage or a degraded service',
  decides: 'what redundancy and graceful degradation may cost',
  is: 'revenuePerDay * time / day * lossShare',
  source: vol2.faultToleranceAndReliability,
  validity: 'revenue spread evenly over the day, and not made up for later',
  inputs: { revenuePerDay: one('USD'), time: one('s'), lossShare: or('1', 1, { most: 1 }) },
  output: 'cost',
  unit: 'USD',
  of: ({ revenuePerDay, time, lossShare = 1 }) => ((revenuePerDay * time) / DAY) * lossShare,
})

export const regressionLoss = law({
  id: 'cost/regression-loss',
  name: 'Loss from a model regression until it is seen',
  decides: 'what faster detection is worth',
  is: 'requestRate * time * rateDrop * valuePerEvent',
  source: vol2.mlOperationsAtScale,
  validity: 'constant traffic; the drop in points of the rate, not relative to it',
  inputs: { requestRate: one('1/s'), time: one('s'), rateDrop: share, valuePerEvent: one('USD') },
  output: 'loss',
  unit: 'USD',
  of: ({ requestRate, time, rateDrop, valuePerEvent }) => requestRate * time * rateDrop * valuePerEvent,
  also: {
    requests: { unit: '1', is: 'requestRate * time', of: ({ requestRate, time }) => requestRate * time },
    lostEvents: { unit: '1', is: 'requests * rateDrop', of: ({ requestRate, time, rateDrop }) => requestRate * time * rateDrop },
  },
})
