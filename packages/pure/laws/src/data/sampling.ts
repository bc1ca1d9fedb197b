// What a sample of whole clusters says about a corpus. A cluster is in the sample or not, each on its own with the same probability (Poisson
// sampling), so that duplicates are sampled together with what they duplicate.

import { law, one, real, share } from '../law.ts'
import { studentQuantile } from '../student.ts'

const SAMPLING = 'C.-E. Särndal, B. Swensson, J. Wretman, Model Assisted Survey Sampling, Springer 1992'
/** Student's quantile hardly moves beyond, and its search gets slow. */
const MOST_FREEDOM = 1000

export const clusterSampleTotal = law({
  id: 'data/cluster-sample-total',
  name: 'What is left of a corpus, from a sample of whole clusters',
  decides: 'how many tokens, documents or bytes a step leaves, before it runs',
  is: 'heavyLeft + knownInput * sampleLeft / sampleInput',
  source: `${SAMPLING}, sections 5.6 and 7.3.1: ratio estimation with a known total`,
  validity: 'many clusters in the sample, and none of them a large part of it: the heaviest are counted apart',
  inputs: { heavyLeft: one('1'), knownInput: one('1'), sampleLeft: real, sampleInput: one('1', { least: Number.MIN_VALUE }) },
  output: 'left',
  unit: '1',
  of: ({ heavyLeft, knownInput, sampleLeft, sampleInput }) => heavyLeft + (knownInput * sampleLeft) / sampleInput,
})

export const clusterSampleError = law({
  id: 'data/cluster-sample-error',
  name: 'How far a total from a sample of clusters may be off',
  decides: 'whether a probe is large enough, or must read a larger share',
  is: 'knownInput / sampleInput * sqrt((1 - share) * clusters / (clusters - 1) * max(ratio^2 * inputSquares / clusters, squares - 2 * ratio * products + ratio^2 * inputSquares)) where ratio = sampleLeft / sampleInput; clusters = max(1.5, sampleInput^2 / inputSquares)',
  source: `${SAMPLING}, sections 3.2 and 7.3.2: variance of a ratio under Bernoulli sampling; L. Kish, Survey Sampling, 1965: effective number of clusters`,
  validity: 'inputs are sums over sampled clusters; with fewer than about 30 effective clusters the interval is itself unsure',
  holds: ({ sampleInput, inputSquares }) => sampleInput ** 2 >= 30 * inputSquares,
  inputs: {
    share,
    knownInput: one('1'),
    sampleLeft: real,
    squares: one('1'),
    products: real,
    sampleInput: one('1', { least: Number.MIN_VALUE }),
    inputSquares: one('1', { least: Number.MIN_VALUE }),
  },
  output: 'standardError',
  unit: '1',
  of: ({ share: sampled, knownInput, sampleLeft, squares, products, sampleInput, inputSquares }) => {
    const ratio = sampleLeft / sampleInput
    const clusters = effectiveClusters(sampleInput, inputSquares)
    // A sample in which nothing is lost does not show that nothing can be: it is as unsure as one average cluster.
    const residuals = Math.max((ratio ** 2 * inputSquares) / clusters, squares - 2 * ratio * products + ratio ** 2 * inputSquares)
    return (knownInput / sampleInput) * Math.sqrt((((1 - sampled) * clusters) / (clusters - 1)) * residuals)
  },
  also: {
    effectiveClusters: {
      unit: '1',
      is: 'max(1.5, sampleInput^2 / inputSquares)',
      of: ({ sampleInput, inputSquares }) => effectiveClusters(sampleInput, inputSquares),
    },
    halfWidth: {
      unit: '1',
      is: "text: standardError times the 95 % quantile of Student's t with effectiveClusters - 1 degrees of freedom: half of the 90 % interval",
      of: ({ sampleInput, inputSquares }, standardError) =>
        standardError * studentQuantile(0.95, freedom(effectiveClusters(sampleInput, inputSquares))),
    },
  },
})

/** Below this the correction for few clusters would divide by nothing. */
const FEWEST_CLUSTERS = 1.5

const effectiveClusters = (sum: number, squares: number): number => Math.max(FEWEST_CLUSTERS, sum ** 2 / squares)

const freedom = (clusters: number): number => Math.min(MOST_FREEDOM, Math.max(1, Math.floor(clusters - 1)))
