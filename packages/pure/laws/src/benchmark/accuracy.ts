import { count, law, one, or, share } from '../law.ts'
import { Z_TWO_SIDED_95 } from '../normal.ts'
import { vol1 } from '../sources.ts'

export const binomialCi = law({
  id: 'benchmark/binomial-ci',
  name: 'Uncertainty of an error count',
  decides: 'how far a measured error count may lie from the true one',
  is: 'z * sqrt(samples * errorRate * (1 - errorRate))',
  source: `A. de Moivre and P.-S. Laplace, normal approximation of the binomial; ${vol1.benchmarking}`,
  validity: 'independent samples, at least ten errors and ten correct answers expected; 95 % unless told',
  holds: ({ samples, errorRate }) => samples * Math.min(errorRate, 1 - errorRate) >= 10,
  inputs: { samples: count, errorRate: share, z: or('1', Z_TWO_SIDED_95) },
  output: 'halfWidth',
  unit: '1',
  of: ({ samples, errorRate, z = Z_TWO_SIDED_95 }) => z * Math.sqrt(samples * errorRate * (1 - errorRate)),
  also: {
    mean: { unit: '1', is: 'samples * errorRate', of: ({ samples, errorRate }) => samples * errorRate },
    sigma: {
      unit: '1',
      is: 'sqrt(samples * errorRate * (1 - errorRate))',
      of: ({ samples, errorRate }) => Math.sqrt(samples * errorRate * (1 - errorRate)),
    },
    low: { unit: '1', is: 'samples * errorRate - halfWidth', of: ({ samples, errorRate }, halfWidth) => samples * errorRate - halfWidth },
    high: { unit: '1', is: 'samples * errorRate + halfWidth', of: ({ samples, errorRate }, halfWidth) => samples * errorRate + halfWidth },
  },
})

export const costThreshold = law({
  id: 'benchmark/cost-threshold',
  name: 'Decision threshold for unequal costs',
  decides: 'at which score a classifier should act',
  is: 'costFalsePositive / (costFalsePositive + costFalseNegative)',
  source: 'C. Elkan, The Foundations of Cost-Sensitive Learning, IJCAI 2001',
  validity: 'scores are calibrated probabilities, and right decisions cost nothing',
  inputs: { costFalsePositive: one('USD'), costFalseNegative: one('USD') },
  output: 'threshold',
  unit: '1',
  of: ({ costFalsePositive, costFalseNegative }) => costFalsePositive / (costFalsePositive + costFalseNegative),
})
