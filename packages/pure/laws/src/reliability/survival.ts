import { count, countOr, law, one, or, share } from '../law.ts'
import { BARLOW, vol2 } from '../sources.ts'

const EXPONENTIAL = `${BARLOW}: the exponential life`

export const failureProbability = law({
  id: 'reliability/failure-probability',
  name: 'Probability of at least one failure within a time',
  decides: 'how likely a job of a given length is interrupted, and whether it may go without checkpoints',
  is: '1 - exp(-devices * time / mtbf)',
  source: EXPONENTIAL,
  validity:
    'constant failure rate, devices independent; the mean time is that of one device, or of the whole job where devices are left out',
  inputs: { time: one('s'), mtbf: one('s'), devices: countOr(1) },
  output: 'probability',
  unit: '1',
  of: ({ time, mtbf, devices = 1 }) => -Math.expm1((-devices * time) / mtbf),
  also: {
    survival: {
      unit: '1',
      is: 'exp(-devices * time / mtbf)',
      of: ({ time, mtbf, devices = 1 }) => Math.exp((-devices * time) / mtbf),
    },
  },
})

export const weibullSurvival = law({
  // Clusters in the field show shapes of 0.7 to 0.8: B. Schroeder, G. A. Gibson, A large-scale study of failures in
  // high-performance computing systems, DSN 2006.
  id: 'reliability/weibull-survival',
  name: 'Weibull survival of parts that age',
  decides: 'whether devices of a given age outlive the next job; whether to burn in or to replace early',
  is: 'exp(-devices * (((age + time) / scale) ^ shape - (age / scale) ^ shape))',
  source: 'W. Weibull, A statistical distribution function of wide applicability, Journal of Applied Mechanics 18, 1951',
  validity: 'devices independent, of one age; shape below 1 for early failures, 1 for the exponential life, above 1 for wear-out',
  inputs: { time: one('s'), scale: one('s'), shape: one('1'), age: or('s', 0), devices: countOr(1) },
  output: 'probability',
  unit: '1',
  of: ({ time, scale, shape, age = 0, devices = 1 }) => Math.exp(-devices * (((age + time) / scale) ** shape - (age / scale) ** shape)),
  also: {
    failureRate: {
      unit: '1/s',
      is: 'devices * shape / scale * ((age + time) / scale) ^ (shape - 1)',
      of: ({ time, scale, shape, age = 0, devices = 1 }) => ((devices * shape) / scale) * ((age + time) / scale) ** (shape - 1),
    },
  },
})

export const allHealthy = law({
  id: 'reliability/all-healthy',
  name: 'Probability that every unit is healthy',
  decides: 'whether a synchronous job can count on a whole fleet',
  is: 'unitProbability ^ count',
  source: vol2.introduction,
  validity: 'units independent and alike',
  inputs: { unitProbability: share, count },
  output: 'probability',
  unit: '1',
  of: ({ unitProbability, count: units }) => unitProbability ** units,
})

export const atLeastOne = law({
  id: 'reliability/at-least-one',
  name: 'Probability of at least one event among many',
  decides: 'whether a rare event per unit is a daily event of the fleet; false alarms of many checks',
  is: '1 - (1 - unitProbability) ^ count',
  source: vol2.faultToleranceAndReliability,
  validity: 'units independent and alike; a shared cause makes it smaller and each event larger',
  inputs: { unitProbability: share, count },
  output: 'probability',
  unit: '1',
  of: ({ unitProbability, count: units }) => -Math.expm1(units * Math.log1p(-unitProbability)),
})

export const silentCorruption = law({
  id: 'reliability/sdc-per-step',
  name: 'Silent data corruption per training step',
  decides: 'how often to verify state, and how far back a rollback must reach',
  is: '1 - exp(-devices * stepTime * errorRate)',
  source: vol2.faultToleranceAndReliability,
  validity: 'corruptions independent, one constant rate per device',
  inputs: { devices: count, stepTime: one('s'), errorRate: one('1/s') },
  output: 'probability',
  unit: '1',
  of: ({ devices, stepTime, errorRate }) => -Math.expm1(-devices * stepTime * errorRate),
  also: {
    exposure: { unit: 's', is: 'devices * stepTime', of: ({ devices, stepTime }) => devices * stepTime },
    stepsBetween: {
      unit: '1',
      is: '1 / (exposure * errorRate)',
      of: ({ devices, stepTime, errorRate }) => 1 / (devices * stepTime * errorRate),
    },
    timeBetween: { unit: 's', is: 'stepsBetween * stepTime', of: ({ devices, errorRate }) => 1 / (devices * errorRate) },
  },
})
