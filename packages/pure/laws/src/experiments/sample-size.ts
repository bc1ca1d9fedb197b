import { DAY } from '@ironlaw/units'
import { composite, count, law, maybe, one, or, real, share, shareOr } from '../law.ts'
import { Z_ONE_SIDED_95, Z_POWER_80, Z_TWO_SIDED_95 } from '../normal.ts'
import { KOHAVI, vol1, vol2 } from '../sources.ts'

const twoSided = or('1', Z_TWO_SIDED_95)
const power = or('1', Z_POWER_80)

export const abSampleSize = law({
  id: 'experiments/ab-sample-size',
  name: 'Sample size of an A/B test',
  decides: 'how many users each variant needs, and how long the test runs',
  is: '2 * (zAlpha + zBeta)^2 * baselineConversion * (1 - baselineConversion) / effect^2',
  source: KOHAVI,
  validity:
    'independent users, horizon fixed in advance, absolute effect small against the baseline; per variant, 5 % two-sided, 80 % power',
  holds: ({ baselineConversion, effect }) => effect <= 0.5 * baselineConversion && effect <= 0.5 * (1 - baselineConversion),
  inputs: { baselineConversion: share, effect: share, zAlpha: twoSided, zBeta: power, requestsPerDay: maybe('1') },
  output: 'samples',
  unit: '1',
  of: ({ baselineConversion, effect, zAlpha = Z_TWO_SIDED_95, zBeta = Z_POWER_80 }) =>
    (2 * (zAlpha + zBeta) ** 2 * baselineConversion * (1 - baselineConversion)) / effect ** 2,
  also: {
    relativeEffect: {
      unit: '1',
      is: 'effect / baselineConversion',
      of: ({ baselineConversion, effect }) => effect / baselineConversion,
    },
    time: {
      unit: 's',
      is: '2 * samples / requestsPerDay * day',
      of: ({ requestsPerDay = Number.NaN }, samples) => ((2 * samples) / requestsPerDay) * DAY,
    },
  },
})

export const abMinimumEffect = law({
  id: 'experiments/ab-minimum-effect',
  name: 'Smallest effect an A/B test can see',
  decides: 'whether the traffic at hand can answer the question',
  is: '(zAlpha + zBeta) * sqrt(2 * baselineConversion * (1 - baselineConversion) / samples)',
  source: KOHAVI,
  validity: 'independent users, a horizon fixed in advance; samples per variant, effect absolute',
  inputs: { baselineConversion: share, samples: count, zAlpha: twoSided, zBeta: power },
  output: 'effect',
  unit: '1',
  of: ({ baselineConversion, samples, zAlpha = Z_TWO_SIDED_95, zBeta = Z_POWER_80 }) =>
    (zAlpha + zBeta) * Math.sqrt((2 * baselineConversion * (1 - baselineConversion)) / samples),
})

export const samplingTime = law({
  id: 'experiments/sampling-time',
  name: 'Time to collect samples',
  decides: 'how long a canary stage lasts, or how soon a regression can be seen',
  is: 'samples / (requestRate * trafficShare)',
  source: `${vol2.mlOperationsAtScale}; ${vol1.mlOperations}`,
  validity: 'steady traffic; where labels come late their delay is added',
  inputs: { samples: one('1'), requestRate: one('1/s'), trafficShare: shareOr(1) },
  output: 'time',
  unit: 's',
  of: ({ samples, requestRate, trafficShare = 1 }) => samples / (requestRate * trafficShare),
})

export const detectionSamples = law({
  id: 'experiments/detection-samples',
  name: 'Samples to see a rate change',
  decides: 'how many labels it takes to notice a drop in accuracy',
  is: '(zAlpha + zBeta)^2 * (rateBefore * (1 - rateBefore) + rateAfter * (1 - rateAfter)) / (rateBefore - rateAfter)^2',
  source: 'J. L. Fleiss, Statistical Methods for Rates and Proportions, Wiley; unpooled variance',
  validity: 'as many samples before as after the change; a well-known rate before needs about half',
  holds: ({ rateBefore, rateAfter }) => rateBefore !== rateAfter,
  inputs: { rateBefore: share, rateAfter: share, zAlpha: twoSided, zBeta: power },
  output: 'samples',
  unit: '1',
  of: ({ rateBefore, rateAfter, zAlpha = Z_TWO_SIDED_95, zBeta = Z_POWER_80 }) =>
    ((zAlpha + zBeta) ** 2 * (rateBefore * (1 - rateBefore) + rateAfter * (1 - rateAfter))) / (rateBefore - rateAfter) ** 2,
})

export const detectionLag = composite({
  id: 'experiments/detection-lag',
  name: 'Time to notice a drop in accuracy',
  decides: 'which detection time monitoring can promise at a label rate',
  is: '(zAlpha + zBeta)^2 * (rateBefore * (1 - rateBefore) + rateAfter * (1 - rateAfter)) / (rateBefore - rateAfter)^2 / labelRate',
  source: vol2.mlOperationsAtScale,
  validity: 'steady labels without delay; the drop is sudden and lasts',
  holds: ({ rateBefore, rateAfter }) => rateBefore !== rateAfter,
  inputs: { rateBefore: share, rateAfter: share, zAlpha: twoSided, zBeta: power, labelRate: one('1/s') },
  output: 'time',
  unit: 's',
  via: ({ rateBefore, rateAfter, zAlpha, zBeta, labelRate }, apply) =>
    apply(samplingTime, { samples: apply(detectionSamples, { rateBefore, rateAfter, zAlpha, zBeta }), requestRate: labelRate }),
  also: { samples: { unit: '1', is: 'time * labelRate', of: ({ labelRate }, time) => time * labelRate } },
})

export const designEffect = law({
  id: 'experiments/design-effect',
  name: 'Design effect of clustered users',
  decides: 'by how much to enlarge an experiment whose users come in clusters that behave alike',
  is: '1 + (clusterSize - 1) * icc',
  source: 'L. Kish, Survey Sampling, Wiley 1965',
  validity: 'whole clusters of about equal size go to one variant; icc is the correlation between two users of one cluster',
  inputs: { clusterSize: count, icc: share },
  output: 'designEffect',
  unit: '1',
  of: ({ clusterSize, icc }) => 1 + (clusterSize - 1) * icc,
})

export const pairedItems = law({
  id: 'experiments/paired-items',
  name: 'Items of a paired evaluation',
  decides: 'how many items an evaluation needs before it can tell an equal model from one that is worse by a margin',
  is: '(zAlpha + zBeta)^2 * differing * designEffect / margin^2',
  source: 'E. Miller, Adding Error Bars to Evals, arXiv 2411.00640, 2024; T. Tango, Statistics in Medicine 17, 1998',
  validity:
    'both models answer the same items under the same instrument; differing is the share of items on which they differ, at least the margin; each risk one-sided',
  holds: ({ differing, margin }) => differing >= margin,
  inputs: { differing: share, margin: share, zAlpha: or('1', Z_ONE_SIDED_95), zBeta: power, designEffect: or('1', 1, { least: 1 }) },
  output: 'items',
  unit: '1',
  of: ({ differing, margin, zAlpha = Z_ONE_SIDED_95, zBeta = Z_POWER_80, designEffect: effect = 1 }) =>
    ((zAlpha + zBeta) ** 2 * differing * effect) / margin ** 2,
})

export const pairedVisibleDrop = law({
  id: 'experiments/paired-visible-drop',
  name: 'Smallest drop a paired evaluation can see',
  decides: 'which margin a gate may state with the items at hand',
  is: '(zAlpha + zBeta) * sqrt(differing * designEffect / items)',
  source: 'E. Miller, Adding Error Bars to Evals, arXiv 2411.00640, 2024',
  validity:
    'both models answer the same items under the same instrument; at least five items that differ, fewer say little about how many do; each risk one-sided',
  holds: ({ differing, items }) => differing * items >= 5,
  inputs: { differing: share, items: count, zAlpha: or('1', Z_ONE_SIDED_95), zBeta: power, designEffect: or('1', 1, { least: 1 }) },
  output: 'drop',
  unit: '1',
  of: ({ differing, items, zAlpha = Z_ONE_SIDED_95, zBeta = Z_POWER_80, designEffect: effect = 1 }) =>
    (zAlpha + zBeta) * Math.sqrt((differing * effect) / items),
})

export const itemsWithinMargin = law({
  id: 'experiments/items-within-margin',
  name: 'Items that show a drop to be within a margin',
  decides: 'how many items to evaluate where a measured drop is within the margin and its bound is not',
  is: 'items * ((bound - drop) / (margin - drop))^2',
  source: 'E. Miller, Adding Error Bars to Evals, arXiv 2411.00640, 2024',
  validity: 'the drop and the share of items that differ stay as measured; bound is the upper one of the drop; items are independent',
  holds: ({ drop, bound, margin }) => drop < margin && bound >= margin,
  inputs: { items: count, drop: real, bound: real, margin: share },
  output: 'needed',
  unit: '1',
  of: ({ items, drop, bound, margin }) => items * ((bound - drop) / (margin - drop)) ** 2,
})

export const judgeCorrection = law({
  id: 'experiments/judge-correction',
  name: 'Share of right answers behind a judge that errs',
  decides: 'what a score given by a model as judge is worth',
  is: '(judged + specificity - 1) / (sensitivity + specificity - 1)',
  source: 'W. J. Rogan and B. Gladen, American Journal of Epidemiology 107, 1978; for judges arXiv 2511.21140, 2025',
  validity: 'sensitivity and specificity measured on answers labelled by people, of the same models and items; a judge better than chance',
  holds: ({ sensitivity, specificity }) => sensitivity + specificity > 1,
  inputs: { judged: share, sensitivity: share, specificity: share },
  output: 'right',
  unit: '1',
  of: ({ judged, sensitivity, specificity }) => (judged + specificity - 1) / (sensitivity + specificity - 1),
})
