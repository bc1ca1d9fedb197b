import { count, law, share } from '../law.ts'

export const twoProportionZ = law({
  id: 'experiments/two-proportion-z',
  name: 'Two-proportion test',
  decides: 'whether two rates differ by more than chance',
  is: '(rateB - rateA) / sqrt(p * (1 - p) * (1 / samplesA + 1 / samplesB)) where p = (rateA * samplesA + rateB * samplesB) / (samplesA + samplesB)',
  source: 'J. L. Fleiss, Statistical Methods for Rates and Proportions, Wiley',
  validity: 'independent samples with at least five expected successes and failures in each; significant beyond 1.96 at 5 %',
  holds: ({ rateA, rateB, samplesA, samplesB }) => {
    const p = pooledRate({ rateA, rateB, samplesA, samplesB })
    return Math.min(p, 1 - p) * Math.min(samplesA, samplesB) >= 5
  },
  inputs: { rateA: share, rateB: share, samplesA: count, samplesB: count },
  output: 'z',
  unit: '1',
  of: ({ rateA, rateB, samplesA, samplesB }) => {
    const p = pooledRate({ rateA, rateB, samplesA, samplesB })
    return (rateB - rateA) / Math.sqrt(p * (1 - p) * (1 / samplesA + 1 / samplesB))
  },
})

export const bonferroni = law({
  id: 'experiments/bonferroni',
  name: 'Bonferroni correction',
  decides: 'at which level each of many tests must be judged',
  is: 'alpha / tests',
  source: 'O. J. Dunn, Multiple Comparisons Among Means, JASA 56(293), 1961',
  validity: 'any dependence between the tests; cautious where they are correlated',
  inputs: { alpha: share, tests: count },
  output: 'threshold',
  unit: '1',
  of: ({ alpha, tests }) => alpha / tests,
})

export const sidak = law({
  id: 'experiments/sidak',
  name: 'Sidak correction',
  decides: 'at which level each of many independent tests must be judged',
  is: '1 - (1 - alpha)^(1 / tests)',
  source: 'Z. Sidak, Rectangular Confidence Regions for the Means of Multivariate Normal Distributions, JASA 62(318), 1967',
  validity: 'independent tests, of which it spends the whole level',
  inputs: { alpha: share, tests: count },
  output: 'threshold',
  unit: '1',
  of: ({ alpha, tests }) => 1 - (1 - alpha) ** (1 / tests),
})

type Proportions = { readonly rateA: number; readonly rateB: number; readonly samplesA: number; readonly samplesB: number }

const pooledRate = ({ rateA, rateB, samplesA, samplesB }: Proportions): number =>
  (rateA * samplesA + rateB * samplesB) / (samplesA + samplesB)
