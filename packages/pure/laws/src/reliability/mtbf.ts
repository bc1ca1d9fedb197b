import { DAY, YEAR } from '@ironlaw/units'
import { count, countOr, law, list, one } from '../law.ts'
import { isPaired, pairSum } from '../pairs.ts'
import { BARLOW, vol2 } from '../sources.ts'

const SERIES = `${BARLOW}: series systems with constant failure rates`

export const clusterMtbf = law({
  id: 'reliability/cluster-mtbf',
  name: 'Mean time between failures of a fleet',
  decides: 'how often some device of the fleet fails, and so the checkpoint interval and the spares',
  is: 'mtbf * groupSize / devices',
  source: SERIES,
  validity:
    'constant failure rate, groups independent, any failure counts; devices of one group fail together, the rate per device unchanged',
  inputs: { mtbf: one('s'), devices: count, groupSize: countOr(1) },
  output: 'clusterMtbf',
  unit: 's',
  of: ({ mtbf, devices, groupSize = 1 }) => (mtbf * groupSize) / devices,
  also: {
    failureRate: { unit: '1/s', is: '1 / clusterMtbf', of: (_, mtbf) => 1 / mtbf },
    failuresPerDay: { unit: '1', is: 'day / clusterMtbf', of: (_, mtbf) => DAY / mtbf },
  },
})

export const seriesMtbf = law({
  id: 'reliability/series-mtbf',
  name: 'Mean time between failures of unlike parts in series',
  decides: 'how often a node or a cluster of such nodes fails, and which part to blame',
  is: '1 / (units * sum(componentCount / componentMtbf))',
  source: SERIES,
  validity: 'constant failure rates, parts independent, one failure stops the whole',
  holds: ({ componentMtbf, componentCount }) => isPaired([componentMtbf, componentCount]),
  inputs: { componentMtbf: list('s'), componentCount: list('1'), units: countOr(1) },
  output: 'mtbf',
  unit: 's',
  of: ({ componentMtbf, componentCount, units = 1 }) =>
    1 / (units * pairSum([componentMtbf, componentCount], (mtbf, parts) => parts / mtbf)),
  also: {
    failureRate: { unit: '1/s', is: '1 / mtbf', of: (_, mtbf) => 1 / mtbf },
    failuresPerDay: { unit: '1', is: 'day / mtbf', of: (_, mtbf) => DAY / mtbf },
  },
})

export const mtbfFromAnnualFailureRate = law({
  id: 'reliability/mtbf-from-afr',
  name: 'Mean time between failures from an annual failure rate',
  decides: 'what a vendor or fleet failure rate means for one large job',
  is: 'year / (devices * annualFailureRate)',
  source: vol2.computeInfrastructure,
  validity: 'constant failure rate; the annual rate counts failures per device-year, replaced devices included',
  inputs: { devices: count, annualFailureRate: one('1') },
  output: 'mtbf',
  unit: 's',
  of: ({ devices, annualFailureRate }) => YEAR / (devices * annualFailureRate),
  also: {
    failuresPerYear: { unit: '1', is: 'devices * annualFailureRate', of: ({ devices, annualFailureRate }) => devices * annualFailureRate },
    failuresPerDay: { unit: '1', is: 'day / mtbf', of: (_, mtbf) => DAY / mtbf },
  },
})

export const expectedFailures = law({
  id: 'reliability/expected-failures',
  name: 'Failures expected during a run',
  decides: 'how many restarts to plan for',
  is: 'devices * time / mtbf',
  source: vol2.faultToleranceAndReliability,
  validity: 'constant failure rate, failed devices replaced at once',
  inputs: { devices: count, time: one('s'), mtbf: one('s') },
  output: 'failures',
  unit: '1',
  of: ({ devices, time, mtbf }) => (devices * time) / mtbf,
  also: { failuresPerDay: { unit: '1', is: 'devices * day / mtbf', of: ({ devices, mtbf }) => (devices * DAY) / mtbf } },
})

export const observedMtbf = law({
  id: 'reliability/observed-mtbf',
  name: 'Mean time between failures from a failure log',
  decides: 'which failure rate to plan the next run with',
  is: 'time / failures',
  source: vol2.faultToleranceAndReliability,
  validity: 'enough failures for a stable mean, about ten or more; the relative error falls as one over their square root',
  holds: ({ failures }) => failures >= 10,
  inputs: { time: one('s'), failures: count, devices: count },
  output: 'observedMtbf',
  unit: 's',
  of: ({ time, failures }) => time / failures,
  also: { deviceMtbf: { unit: 's', is: 'devices * observedMtbf', of: ({ devices }, mtbf) => devices * mtbf } },
})

export const mtbfFromFit = law({
  id: 'reliability/fit-to-mtbf',
  name: 'Mean time between failures from FIT',
  decides: 'how often parts with a data-sheet rate in failures per billion hours fail together',
  is: '1 / (fit * count)',
  source: vol2.faultToleranceAndReliability,
  validity: 'the useful life, between early failures and wear-out; parts independent',
  inputs: { fit: one('1/s'), count: countOr(1) },
  output: 'mtbf',
  unit: 's',
  of: ({ fit, count: parts = 1 }) => 1 / (fit * parts),
  also: { totalFit: { unit: '1/s', is: 'fit * count', of: ({ fit, count: parts = 1 }) => fit * parts } },
})

export const fitFromMtbf = law({
  id: 'reliability/mtbf-to-fit',
  name: 'FIT from a mean time between failures',
  decides: 'which failure rate to enter for a part whose data sheet gives a mean time',
  is: 'count / mtbf',
  source: vol2.faultToleranceAndReliability,
  validity: 'the useful life, between early failures and wear-out; parts independent',
  inputs: { mtbf: one('s'), count: countOr(1) },
  output: 'fit',
  unit: '1/s',
  of: ({ mtbf, count: parts = 1 }) => parts / mtbf,
})
