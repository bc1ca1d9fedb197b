import { HOUR } from '@ironlaw/units'
import { law, one, or, share, shareOr } from '../law.ts'
import { COHEN_KAPPA, vol1 } from '../sources.ts'

const WORK_YEAR = 2000 * HOUR

export const labelingCost = law({
  id: 'data/labeling-cost',
  name: 'Price of labeled data',
  decides: 'whether to label everything, label less, or buy compute instead',
  is: 'labels * costPerLabel + computeCost',
  source: vol1.dataSelection,
  validity: 'one label per item at one price; review and repeated labels raise costPerLabel',
  inputs: { labels: one('1'), costPerLabel: one('USD'), computeCost: or('USD', 0) },
  output: 'cost',
  unit: 'USD',
  of: ({ labels, costPerLabel, computeCost = 0 }) => labels * costPerLabel + computeCost,
})

export const activeLearningCost = law({
  id: 'data/active-learning-cost',
  name: 'Price of active learning',
  decides: 'whether choosing what to label is cheaper than labeling at random',
  is: 'labels * costPerLabel + poolSize * scoreCost + rounds * costPerRound',
  source: vol1.dataSelection,
  validity: 'the whole pool scored once in all; scoring it every round multiplies that term',
  inputs: {
    labels: one('1'),
    costPerLabel: one('USD'),
    poolSize: or('1', 0),
    scoreCost: or('USD', 0),
    rounds: or('1', 0),
    costPerRound: or('USD', 0),
  },
  output: 'cost',
  unit: 'USD',
  of: ({ labels, costPerLabel, poolSize = 0, scoreCost = 0, rounds = 0, costPerRound = 0 }) =>
    labels * costPerLabel + poolSize * scoreCost + rounds * costPerRound,
})

export const expertLabeling = law({
  id: 'data/expert-labeling',
  name: 'Time and price of expert labels',
  decides: 'how many expert labels a budget and a deadline allow',
  is: 'labels / labelRate * hourlyPrice',
  source: vol1.dataSelection,
  validity: 'steady pace, no second reading',
  inputs: { labels: one('1'), labelRate: one('1/s'), hourlyPrice: one('USD/s') },
  output: 'cost',
  unit: 'USD',
  of: ({ labels, labelRate, hourlyPrice }) => (labels / labelRate) * hourlyPrice,
  also: { time: { unit: 's', is: 'labels / labelRate', of: ({ labels, labelRate }) => labels / labelRate } },
})

export const labelingTime = law({
  id: 'data/labeling-time',
  name: 'Working time to label by hand',
  decides: 'whether hand labeling is possible at all or labels must be generated',
  is: 'labels * timePerLabel',
  source: vol1.dataEngineering,
  validity: 'every item labeled once, a working year of 2,000 hours unless given',
  inputs: { labels: one('1'), timePerLabel: one('s'), workYear: or('s', WORK_YEAR) },
  output: 'time',
  unit: 's',
  of: ({ labels, timePerLabel }) => labels * timePerLabel,
  also: { personYears: { unit: '1', is: 'time / workYear', of: ({ workYear = WORK_YEAR }, time) => time / workYear } },
})

export const labelsAffordable = law({
  id: 'data/labels-affordable',
  name: 'Labels a budget buys',
  decides: 'how large a labeled set to plan for',
  is: 'budget / (costPerLabel * (1 + reviewShare))',
  source: vol1.dataEngineering,
  validity: 'a reviewed label costs a second label',
  inputs: { budget: one('USD'), costPerLabel: one('USD'), reviewShare: shareOr(0) },
  output: 'labels',
  unit: '1',
  of: ({ budget, costPerLabel, reviewShare = 0 }) => budget / (costPerLabel * (1 + reviewShare)),
})

export const chanceAgreement = law({
  id: 'data/chance-agreement',
  name: 'Agreement of two raters by chance',
  decides: 'how much of an agreement figure means nothing',
  is: 'raterA * raterB + (1 - raterA) * (1 - raterB)',
  source: COHEN_KAPPA,
  validity: 'two labels; each input is the share of items a rater gives the first label; raters independent',
  inputs: { raterA: share, raterB: share },
  output: 'agreement',
  unit: '1',
  of: ({ raterA, raterB }) => raterA * raterB + (1 - raterA) * (1 - raterB),
})

export const cohensKappa = law({
  id: 'data/cohens-kappa',
  name: 'Agreement of two raters beyond chance',
  decides: 'whether labels are good enough, or guidelines and experts are needed',
  is: '(observed - expected) / (1 - expected)',
  source: COHEN_KAPPA,
  validity: 'two raters over the same items; very unequal classes push it down',
  holds: ({ expected }) => expected < 1,
  inputs: { observed: share, expected: share },
  output: 'kappa',
  unit: '1',
  of: ({ observed, expected }) => (observed - expected) / (1 - expected),
})
