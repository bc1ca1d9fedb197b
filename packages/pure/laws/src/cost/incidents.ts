import { DAY } from '@ironlaw/units'
import { law, one, or, share } from '../law.ts'

const OPERATIONS = 'Machine Learning Systems vol. 2, ML Operations at Scale'

export const outageCost = law({
  id: 'cost/outage',
  name: 'Revenue lost to an outage or a degraded service',
  decides: 'what redundancy and graceful degradation may cost',
  is: 'revenuePerDay * time / day * lossShare',
  source: 'Machine Learning Systems vol. 2, Fault Tolerance and Reliability',
  validity: 'revenue spread evenly over the day, and not made up for later',
  inputs: { revenuePerDay: one('USD'), time: one('s'), lossShare: or('1', 1, { most: 1 }) },
  output: 'cost',
  unit: 'USD',
  of: ({ revenuePerDay, time, lossShare = 1 }) => ((revenuePerDay * time) / DAY) * lossShare,
})

export const exposedRevenue = law({
  id: 'cost/exposed-revenue',
  name: 'Revenue at risk in a canary',
  decides: 'how much traffic a new model may get first',
  is: 'revenue * exposedShare * drop',
  source: OPERATIONS,
  validity: 'traffic split at random; revenue over the time until the drop is seen',
  inputs: { revenue: one('USD'), exposedShare: share, drop: share },
  output: 'loss',
  unit: 'USD',
  of: ({ revenue, exposedShare, drop }) => revenue * exposedShare * drop,
})

export const regressionLoss = law({
  id: 'cost/regression-loss',
  name: 'Loss from a model regression until it is seen',
  decides: 'what faster detection is worth',
  is: 'requestRate * time * rateDrop * valuePerEvent',
  source: OPERATIONS,
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

export const skewCost = law({
  id: 'cost/skew',
  name: 'Cost of training-serving skew',
  decides: 'whether a feature store pays',
  is: 'errorShare * requestsPerDay * costPerError * days',
  source: 'Machine Learning Systems vol. 1, ML Operations',
  validity: 'constant traffic; only the errors that skew adds',
  inputs: { errorShare: share, requestsPerDay: one('1'), costPerError: one('USD'), days: one('1') },
  output: 'cost',
  unit: 'USD',
  of: ({ errorShare, requestsPerDay, costPerError, days }) => errorShare * requestsPerDay * costPerError * days,
})

export const constraintPropagation = law({
  id: 'cost/constraint-propagation',
  name: 'Cost of a constraint found late',
  decides: 'how early to test a constraint such as memory, latency or privacy',
  is: '2 ^ (stage - 1)',
  source: 'Machine Learning Systems vol. 1, ML Workflow',
  validity: 'a rule of thumb: the correction doubles with each of six stages of the workflow',
  holds: ({ stage }) => stage <= 6,
  inputs: { stage: one('1', { least: 1 }) },
  output: 'multiplier',
  unit: '1',
  of: ({ stage }) => 2 ** (stage - 1),
})
