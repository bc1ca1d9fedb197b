import { law, list, one, real } from '../law.ts'
import { isPaired, type Pairs, pairSum } from '../pairs.ts'

const shares = list('1', { most: 1 })
const spread = one('1')

const sumsToOne = (parts: readonly number[]): boolean => Math.abs(parts.reduce((sum, each) => sum + each, 0) - 1) < 1e-3
const areDistributions = ([a, b]: Pairs): boolean => isPaired([a, b]) && sumsToOne(a) && sumsToOne(b)

export const kl = law({
  id: 'drift/kl',
  name: 'Kullback-Leibler divergence',
  decides: 'how far serving data have moved from training data',
  is: 'sum(p * ln(p / q))',
  source: 'S. Kullback and R. A. Leibler, On Information and Sufficiency, Annals of Mathematical Statistics 22(1), 1951',
  validity: 'shares that add up to one, none of them zero in q; in nats, and not the same in the other direction',
  holds: ({ p, q }) => areDistributions([p, q]) && q.every((each) => each > 0),
  inputs: { p: shares, q: shares },
  output: 'kl',
  unit: '1',
  of: ({ p, q }) => pairSum([p, q], klTerm),
})

export const js = law({
  id: 'drift/js',
  name: 'Jensen-Shannon divergence',
  decides: 'whether a shift crosses a threshold that must not depend on empty bins',
  is: '(sum(p * ln(p / m)) + sum(q * ln(q / m))) / 2 where m = (p + q) / 2',
  source: 'J. Lin, Divergence measures based on the Shannon entropy, IEEE Transactions on Information Theory 37(1), 1991',
  validity: 'shares that add up to one; in nats, symmetric, at most ln 2',
  holds: ({ p, q }) => areDistributions([p, q]),
  inputs: { p: shares, q: shares },
  output: 'js',
  unit: '1',
  of: ({ p, q }) =>
    pairSum([p, q], (each, other) => {
      const middle = (each + other) / 2
      return (klTerm(each, middle) + klTerm(other, middle)) / 2
    }),
})

export const psi = law({
  id: 'drift/psi',
  name: 'Population stability index',
  decides: 'whether a feature is stable, to be watched, or a reason to act',
  is: 'sum((actual - expected) * ln(actual / expected))',
  source: 'N. Siddiqi, Credit Risk Scorecards, Wiley 2006; the divergence of H. Jeffreys over bins',
  validity: '10 to 20 bins, none empty; below 0.1 stable, above 0.2 to 0.25 act',
  holds: ({ expected, actual }) =>
    areDistributions([expected, actual]) && expected.every((each) => each > 0) && actual.every((each) => each > 0),
  inputs: { expected: shares, actual: shares },
  output: 'psi',
  unit: '1',
  of: ({ expected, actual }) => pairSum([expected, actual], psiTerm),
  also: {
    largestTerm: {
      unit: '1',
      is: 'max((actual - expected) * ln(actual / expected))',
      of: ({ expected, actual }) => expected.reduce((most, each, index) => Math.max(most, psiTerm(each, actual[index] ?? Number.NaN)), 0),
    },
  },
})

export const klGaussian = law({
  id: 'drift/kl-gaussian',
  name: 'Kullback-Leibler divergence of two normals',
  decides: 'whether a numeric feature has drifted, from mean and spread alone',
  is: 'ln(currentStd / baselineStd) + (baselineStd^2 + (baselineMean - currentMean)^2) / (2 * currentStd^2) - 1 / 2',
  source: 'S. Kullback, Information Theory and Statistics, Wiley 1959',
  validity: 'both samples near normal; in nats, and larger when the spread shrinks than when it grows',
  inputs: { baselineMean: real, baselineStd: spread, currentMean: real, currentStd: spread },
  output: 'kl',
  unit: '1',
  of: ({ baselineMean, baselineStd, currentMean, currentStd }) =>
    Math.log(currentStd / baselineStd) + (baselineStd ** 2 + (baselineMean - currentMean) ** 2) / (2 * currentStd ** 2) - 0.5,
})

const klTerm = (p: number, q: number): number => (p === 0 ? 0 : p * Math.log(p / q))

const psiTerm = (expected: number, actual: number): number => (actual - expected) * Math.log(actual / expected)
