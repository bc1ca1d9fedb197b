import { composite, law, maybe, one, share } from '../law.ts'
import { HARDT } from '../sources.ts'

const tally = one('1')

export const groupRates = law({
  id: 'fairness/group-rates',
  name: 'Rates of one group from its confusion matrix',
  decides: 'which error a group suffers more of',
  is: '(truePositives + falsePositives) / (truePositives + falsePositives + falseNegatives + trueNegatives)',
  source: HARDT,
  validity: 'outcomes known for accepted and rejected alike; both outcomes occur in the group',
  holds: ({ truePositives, falseNegatives, falsePositives, trueNegatives }) =>
    truePositives + falseNegatives > 0 && falsePositives + trueNegatives > 0,
  inputs: { truePositives: tally, falseNegatives: tally, falsePositives: tally, trueNegatives: tally },
  output: 'approval',
  unit: '1',
  of: ({ truePositives, falseNegatives, falsePositives, trueNegatives }) =>
    (truePositives + falsePositives) / (truePositives + falsePositives + falseNegatives + trueNegatives),
  also: {
    tpr: {
      unit: '1',
      is: 'truePositives / (truePositives + falseNegatives)',
      of: ({ truePositives, falseNegatives }) => portion(truePositives, falseNegatives),
    },
    fpr: {
      unit: '1',
      is: 'falsePositives / (falsePositives + trueNegatives)',
      of: ({ falsePositives, trueNegatives }) => portion(falsePositives, trueNegatives),
    },
    fnr: {
      unit: '1',
      is: 'falseNegatives / (truePositives + falseNegatives)',
      of: ({ truePositives, falseNegatives }) => portion(falseNegatives, truePositives),
    },
    accuracy: {
      unit: '1',
      is: '(truePositives + trueNegatives) / (truePositives + falsePositives + falseNegatives + trueNegatives)',
      of: ({ truePositives, falseNegatives, falsePositives, trueNegatives }) =>
        portion(truePositives + trueNegatives, falseNegatives + falsePositives),
    },
    errorRate: {
      unit: '1',
      is: '(falsePositives + falseNegatives) / (truePositives + falsePositives + falseNegatives + trueNegatives)',
      of: ({ truePositives, falseNegatives, falsePositives, trueNegatives }) =>
        portion(falseNegatives + falsePositives, truePositives + trueNegatives),
    },
  },
})

export const parityGap = law({
  id: 'fairness/parity-gap',
  name: 'Gap between the rates of two groups',
  decides: 'whether groups differ by more than a fairness gate allows',
  is: 'rateA - rateB',
  source: 'M. Hardt, E. Price, N. Srebro, NIPS 2016; demographic parity for approval rates, equal opportunity for true positive rates',
  validity:
    'the same rate of both groups over the same period; a gap of 0.1 is a usual gate, and small groups need a significance test beside it',
  inputs: { rateA: share, rateB: share },
  output: 'gap',
  unit: '1',
  of: ({ rateA, rateB }) => rateA - rateB,
})

export const groupMetrics = composite({
  id: 'fairness/group-metrics',
  name: 'Fairness audit of two groups',
  decides: 'which fairness criterion two groups violate',
  is: '(tpA + fpA) / (tpA + fpA + fnA + tnA) - (tpB + fpB) / (tpB + fpB + fnB + tnB)',
  source: 'M. Feldman et al., Certifying and Removing Disparate Impact, KDD 2015; M. Hardt, E. Price, N. Srebro, NIPS 2016',
  validity:
    'differences are A minus B; outcomes known for accepted and rejected alike; where base rates differ the criteria cannot all hold at once',
  inputs: { tpA: tally, fpA: tally, fnA: tally, tnA: tally, tpB: tally, fpB: tally, fnB: tally, tnB: tally },
  output: 'parityDifference',
  unit: '1',
  via: ({ tpA, fpA, fnA, tnA, tpB, fpB, fnB, tnB }, apply) =>
    apply(parityGap, {
      rateA: apply(groupRates, { truePositives: tpA, falsePositives: fpA, falseNegatives: fnA, trueNegatives: tnA }),
      rateB: apply(groupRates, { truePositives: tpB, falsePositives: fpB, falseNegatives: fnB, trueNegatives: tnB }),
    }),
  also: {
    selectionRateA: {
      unit: '1',
      is: '(tpA + fpA) / (tpA + fpA + fnA + tnA)',
      of: ({ tpA, fpA, fnA, tnA }) => portion(tpA + fpA, fnA + tnA),
    },
    selectionRateB: {
      unit: '1',
      is: '(tpB + fpB) / (tpB + fpB + fnB + tnB)',
      of: ({ tpB, fpB, fnB, tnB }) => portion(tpB + fpB, fnB + tnB),
    },
    disparateImpact: {
      unit: '1',
      is: 'selectionRateB / selectionRateA',
      of: ({ tpA, fpA, fnA, tnA, tpB, fpB, fnB, tnB }) => portion(tpB + fpB, fnB + tnB) / portion(tpA + fpA, fnA + tnA),
    },
    tprA: { unit: '1', is: 'tpA / (tpA + fnA)', of: ({ tpA, fnA }) => portion(tpA, fnA) },
    tprB: { unit: '1', is: 'tpB / (tpB + fnB)', of: ({ tpB, fnB }) => portion(tpB, fnB) },
    fprA: { unit: '1', is: 'fpA / (fpA + tnA)', of: ({ fpA, tnA }) => portion(fpA, tnA) },
    fprB: { unit: '1', is: 'fpB / (fpB + tnB)', of: ({ fpB, tnB }) => portion(fpB, tnB) },
    ppvA: { unit: '1', is: 'tpA / (tpA + fpA)', of: ({ tpA, fpA }) => portion(tpA, fpA) },
    ppvB: { unit: '1', is: 'tpB / (tpB + fpB)', of: ({ tpB, fpB }) => portion(tpB, fpB) },
    opportunityDifference: { unit: '1', is: 'tprA - tprB', of: ({ tpA, fnA, tpB, fnB }) => portion(tpA, fnA) - portion(tpB, fnB) },
    averageAbsoluteOddsDifference: {
      unit: '1',
      is: '(abs(tprA - tprB) + abs(fprA - fprB)) / 2',
      of: ({ tpA, fpA, fnA, tnA, tpB, fpB, fnB, tnB }) =>
        (Math.abs(portion(tpA, fnA) - portion(tpB, fnB)) + Math.abs(portion(fpA, tnA) - portion(fpB, tnB))) / 2,
    },
    ppvDifference: { unit: '1', is: 'ppvA - ppvB', of: ({ tpA, fpA, tpB, fpB }) => portion(tpA, fpA) - portion(tpB, fpB) },
  },
})

export const fourFifths = law({
  id: 'fairness/four-fifths',
  name: 'Four-fifths rule',
  decides: 'whether a difference in selection counts as adverse impact',
  is: '0.8 * rateHigh',
  source: 'Uniform Guidelines on Employee Selection Procedures, 29 CFR 1607.4(D), 1978',
  validity: 'an alarm, not a proof: samples large enough that the ratio is not chance. Applied to error rates the disparity may reach 1.25',
  holds: ({ rateHigh, rateLow }) => rateLow === undefined || rateLow <= rateHigh,
  inputs: { rateHigh: share, rateLow: maybe('1', { most: 1 }) },
  output: 'minimumRate',
  unit: '1',
  of: ({ rateHigh }) => 0.8 * rateHigh,
  also: {
    ratio: { unit: '1', is: 'rateLow / rateHigh', of: ({ rateHigh, rateLow = Number.NaN }) => rateLow / rateHigh },
    disparity: { unit: '1', is: 'rateHigh / rateLow', of: ({ rateHigh, rateLow = Number.NaN }) => rateHigh / rateLow },
  },
})

const portion = (part: number, rest: number): number => part / (part + rest)
