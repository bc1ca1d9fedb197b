import { YEAR } from '@ironlaw/units'
import { count, law, one, share } from '../law.ts'
import { BARLOW, vol2 } from '../sources.ts'

export const downtime = law({
  id: 'reliability/downtime',
  name: 'Downtime that an availability allows',
  decides: 'the error budget of a service level',
  is: '(1 - availability) * period',
  source: vol2.computeInfrastructure,
  validity: 'availability as a share of time over the whole period',
  inputs: { availability: share, period: one('s') },
  output: 'downtime',
  unit: 's',
  of: ({ availability, period }) => (1 - availability) * period,
})

export const steadyAvailability = law({
  id: 'reliability/steady-availability',
  name: 'Steady-state availability',
  decides: 'whether to buy reliability or faster repair',
  is: 'mtbf / (mtbf + repairTime)',
  source: `${BARLOW}: alternating renewal of working and repair`,
  validity: 'the long run; repair starts at once, mean times to failure and to repair finite',
  inputs: { mtbf: one('s'), repairTime: one('s') },
  output: 'availability',
  unit: '1',
  of: ({ mtbf, repairTime }) => mtbf / (mtbf + repairTime),
  also: {
    downtimePerYear: {
      unit: 's',
      is: 'year * repairTime / (mtbf + repairTime)',
      of: ({ mtbf, repairTime }) => (YEAR * repairTime) / (mtbf + repairTime),
    },
  },
})

export const replicatedAvailability = law({
  id: 'reliability/replicated-availability',
  name: 'Availability of replicas of which one suffices',
  decides: 'how many replicas a service level needs',
  is: '1 - (1 - unitAvailability) ^ replicas',
  source: `${BARLOW}: parallel systems`,
  validity: 'replicas fail independently; a shared rack, zone or release breaks it',
  inputs: { unitAvailability: share, replicas: count },
  output: 'availability',
  unit: '1',
  of: ({ unitAvailability, replicas }) => 1 - (1 - unitAvailability) ** replicas,
  also: {
    downtime: {
      unit: 's',
      is: '(1 - unitAvailability) ^ replicas * year',
      of: ({ unitAvailability, replicas }) => (1 - unitAvailability) ** replicas * YEAR,
    },
  },
})

export const enoughHealthy = law({
  id: 'reliability/k-of-n',
  name: 'Probability that enough of the units are healthy',
  decides: 'how many spare nodes or replicas to hold beyond what the load needs',
  is: 'text: sum over k = needed..units of C(units, k) * unitAvailability^k * (1 - unitAvailability)^(units - k)',
  source: `${BARLOW}: k-out-of-n systems`,
  validity: 'units independent and alike; whole numbers of units, needed at most units',
  holds: ({ needed, units }) => needed <= units && Number.isInteger(needed) && Number.isInteger(units),
  inputs: { units: count, needed: count, unitAvailability: share },
  output: 'probability',
  unit: '1',
  // Summed over the failed units, of which few count, in logarithms: the first term of a large fleet underflows otherwise.
  of: ({ units, needed, unitAvailability }) => {
    if (unitAvailability >= 1) return needed <= units ? 1 : 0
    if (unitAvailability <= 0) return 0
    let logTerm = units * Math.log(unitAvailability)
    const odds = Math.log1p(-unitAvailability) - Math.log(unitAvailability)
    let sum = 0
    for (let failed = 0; failed <= units - needed; failed += 1) {
      sum += Math.exp(logTerm)
      logTerm += Math.log((units - failed) / (failed + 1)) + odds
    }
    return Math.min(sum, 1)
  },
})
