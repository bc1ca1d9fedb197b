import { count, law, one, real, share, shareOr } from '../law.ts'
import { erfc } from '../normal.ts'

export const falseAlerts = law({
  id: 'monitoring/false-alerts',
  name: 'False alerts per day',
  decides: 'how strict each check must be so that people can answer the alerts',
  is: 'models * metrics * checksPerDay * falsePositiveRate',
  source: 'Machine Learning Systems vol. 2, ML Operations at Scale',
  validity: 'checks independent; in real fleets they move together, so that alerts come in bursts and not one by one',
  inputs: { models: count, metrics: count, checksPerDay: one('1'), falsePositiveRate: share, dedup: shareOr(0) },
  output: 'alerts',
  unit: '1',
  of: ({ models, metrics, checksPerDay, falsePositiveRate }) => models * metrics * checksPerDay * falsePositiveRate,
  also: { remaining: { unit: '1', is: 'alerts * (1 - dedup)', of: ({ dedup = 0 }, alerts) => alerts * (1 - dedup) } },
})

export const falsePositiveRate = law({
  id: 'monitoring/false-positive-rate',
  name: 'False positive rate of an always-on detector',
  decides: 'how rarely a detector may err per window to be tolerable',
  is: 'allowedFalseAlarms * window / period',
  source: 'Machine Learning Systems vol. 1, Data Engineering',
  validity: 'every window is decided once; windows that overlap are more and not independent',
  inputs: { allowedFalseAlarms: one('1'), period: one('s'), window: one('s') },
  output: 'rate',
  unit: '1',
  of: ({ allowedFalseAlarms, period, window }) => (allowedFalseAlarms * window) / period,
  also: {
    windows: { unit: '1', is: 'period / window', of: ({ period, window }) => period / window },
    rejection: { unit: '1', is: '1 - rate', of: (_, rate) => 1 - rate },
    alarmRate: { unit: '1/s', is: 'allowedFalseAlarms / period', of: ({ allowedFalseAlarms, period }) => allowedFalseAlarms / period },
  },
})

export const sigmaAlerts = law({
  id: 'monitoring/sigma-alerts',
  name: 'False alerts of a control limit',
  decides: 'how many standard deviations wide to set a control limit',
  is: 'checks * erfc(sigmas / sqrt(2))',
  source:
    'W. A. Shewhart, Economic Control of Quality of Manufactured Product, 1931; Machine Learning Systems vol. 2, ML Operations at Scale',
  validity: 'a metric near normal and independent between checks; heavy tails alert far more often',
  inputs: { sigmas: one('1'), checks: one('1') },
  output: 'alerts',
  unit: '1',
  of: ({ sigmas, checks }) => erfc(sigmas / Math.SQRT2) * checks,
  also: {
    probability: {
      unit: '1',
      is: 'erfc(sigmas / sqrt(2))',
      of: ({ sigmas }) => erfc(sigmas / Math.SQRT2),
    },
  },
})

export const zScore = law({
  id: 'monitoring/z-score',
  name: 'Anomaly in standard deviations',
  decides: 'whether a figure such as daily cost is out of the ordinary',
  is: '(value - mean) / std',
  source: 'Machine Learning Systems vol. 2, ML Operations at Scale',
  validity: 'mean and spread from a calm history of like periods; beyond three is an alert',
  inputs: { value: real, mean: real, std: one('1') },
  output: 'z',
  unit: '1',
  of: ({ value, mean, std }) => (value - mean) / std,
})
