import { YEAR } from '@ironlaw/units'
import { countOr, law, list, one, or, share } from '../law.ts'
import { isPaired, pairSum } from '../pairs.ts'
import { vol1, vol2 } from '../sources.ts'

export const detectionLoss = law({
  id: 'monitoring/detection-loss',
  name: 'Loss from a silent failure',
  decides: 'what faster detection is worth',
  is: 'annualRevenue * qualityLoss * detectionTime / year * incidents',
  source: vol1.mlOperations,
  validity: 'revenue even over the year and lost in proportion to quality; repair time not counted',
  inputs: { annualRevenue: one('USD'), qualityLoss: share, detectionTime: one('s'), incidents: countOr(1) },
  output: 'loss',
  unit: 'USD',
  of: ({ annualRevenue, qualityLoss, detectionTime, incidents = 1 }) => ((annualRevenue * qualityLoss * detectionTime) / YEAR) * incidents,
})

export const monitoringRoi = law({
  id: 'monitoring/roi',
  name: 'Return on monitoring',
  decides: 'whether an investment in operations pays',
  is: '(incidentsPrevented * incidentCost + timeSaved * hourlyPrice) / investment',
  source: vol1.mlOperations,
  validity: 'benefits and investment of the same year',
  inputs: {
    incidentsPrevented: one('1'),
    incidentCost: one('USD'),
    investment: one('USD'),
    timeSaved: or('s', 0),
    hourlyPrice: or('USD/s', 0),
  },
  output: 'roi',
  unit: '1',
  of: ({ incidentsPrevented, incidentCost, investment, timeSaved = 0, hourlyPrice = 0 }) =>
    (incidentsPrevented * incidentCost + timeSaved * hourlyPrice) / investment,
})

export const weightedUtilization = law({
  id: 'monitoring/weighted-utilization',
  name: 'Utilization of several pools',
  decides: 'whether a fleet as a whole is used, whatever its pools report',
  is: 'sum(utilization * capacity) / sum(capacity)',
  source: vol2.mlOperationsAtScale,
  validity: 'one kind of resource, all utilizations over the same time',
  holds: ({ utilization, capacity }) => isPaired([utilization, capacity]),
  inputs: { utilization: list('1', { most: 1 }), capacity: list('1') },
  output: 'overall',
  unit: '1',
  of: ({ utilization, capacity }) => pairSum([utilization, capacity]) / capacity.reduce((sum, each) => sum + each, 0),
})
