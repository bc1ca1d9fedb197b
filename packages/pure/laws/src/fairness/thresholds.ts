import { law, one, real } from '../law.ts'
import { normalQuantile, normalShareAbove } from '../normal.ts'
import { HARDT } from '../sources.ts'

const spread = one('1')
const tally = one('1')

export const thresholdRates = law({
  id: 'fairness/threshold-rates',
  name: 'Rates of a group at a score threshold',
  decides: 'what moving the threshold costs a group in errors and precision',
  is: 'normalAbove((threshold - positiveMean) / positiveStd)',
  source: `${HARDT}; scores taken as normal`,
  validity: 'scores of both classes near normal; the tails of scores confined to 0..1 are not',
  inputs: {
    positiveMean: real,
    positiveStd: spread,
    negativeMean: real,
    negativeStd: spread,
    positives: tally,
    negatives: tally,
    threshold: real,
  },
  output: 'tpr',
  unit: '1',
  of: ({ positiveMean, positiveStd, threshold }) => normalShareAbove((threshold - positiveMean) / positiveStd),
  also: {
    fpr: {
      unit: '1',
      is: 'normalAbove((threshold - negativeMean) / negativeStd)',
      of: ({ negativeMean, negativeStd, threshold }) => normalShareAbove((threshold - negativeMean) / negativeStd),
    },
    precision: {
      unit: '1',
      is: 'positives * tpr / (positives * tpr + negatives * fpr)',
      of: ({ negativeMean, negativeStd, positives, negatives, threshold }, tpr) =>
        (positives * tpr) / (positives * tpr + negatives * normalShareAbove((threshold - negativeMean) / negativeStd)),
    },
  },
})

export const thresholdForTpr = law({
  id: 'fairness/threshold-for-tpr',
  name: 'Threshold that reaches a true positive rate',
  decides: 'where a group needs its threshold for equal opportunity',
  is: 'positiveMean - positiveStd * normalQuantile(tpr)',
  source: `${HARDT}; scores taken as normal`,
  validity: 'scores of the positive class near normal, and the group known when the threshold is applied',
  inputs: { positiveMean: real, positiveStd: spread, tpr: one('1', { most: 1 }) },
  output: 'threshold',
  unit: '1',
  of: ({ positiveMean, positiveStd, tpr }) => positiveMean - positiveStd * normalQuantile(tpr),
})
