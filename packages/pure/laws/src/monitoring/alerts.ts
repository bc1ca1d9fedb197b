import { count, law, one, share, shareOr } from '../law.ts'
import { erfc } from '../normal.ts'
import { vol1, vol2 } from '../sources.ts'

export const falseAlerts = law({
  id: 'monitoring/false-alerts',
  name: 'False alerts per day',
  decides: 'how strict each check must be so that people can answer the alerts',
  is: 'models * metrics * checksPerDay * falsePositiveRate',
  source: vol2.mlOperationsAtScale,
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
  source: vol1.dataEngineering,
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
  source: `W. A. Shewhart, Economic Control of Quality of Manufactured Product, 1931; ${vol2.mlOperationsAtScale}`,
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
