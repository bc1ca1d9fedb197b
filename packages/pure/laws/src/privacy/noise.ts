import { count, law, one, share } from '../law.ts'
import { DWORK_ROTH, vol2 } from '../sources.ts'

export const clipSensitivity = law({
  id: 'privacy/clip-sensitivity',
  name: 'Sensitivity of an averaged clipped gradient',
  decides: 'the scale to which DP-SGD noise is added',
  is: '2 * clipNorm / batch',
  source: 'M. Abadi et al., Deep Learning with Differential Privacy, CCS 2016; replace-one adjacency',
  validity:
    'gradients clipped per example before averaging; replace-one adjacency: under add-or-remove, as privacy/rdp-exact accounts, it is half',
  inputs: { clipNorm: one('1'), batch: count },
  output: 'sensitivity',
  unit: '1',
  of: ({ clipNorm, batch }) => (2 * clipNorm) / batch,
})

export const deltaChoice = law({
  id: 'privacy/delta-choice',
  name: 'Failure probability for a data set',
  decides: 'which delta a privacy guarantee may leave open',
  is: '1 / records^2',
  source: `${DWORK_ROTH}; ${vol2.securityAndPrivacy}`,
  validity: 'a convention, well below one in the number of records, at which publishing a random record would already qualify',
  inputs: { records: count },
  output: 'delta',
  unit: '1',
  of: ({ records }) => 1 / records ** 2,
})

export const gaussianSigma = law({
  id: 'privacy/gaussian-sigma',
  name: 'Noise of the Gaussian mechanism',
  decides: 'how much noise one release needs for (epsilon, delta)',
  is: 'sensitivity * sqrt(2 * ln(1.25 / delta)) / epsilon',
  source: `${DWORK_ROTH}, appendix A`,
  validity: 'a single release with epsilon of at most one; above that the bound is not proven',
  holds: ({ epsilon }) => epsilon <= 1,
  inputs: { sensitivity: one('1'), epsilon: one('1'), delta: share },
  output: 'sigma',
  unit: '1',
  of: ({ sensitivity, epsilon, delta }) => (sensitivity * Math.sqrt(2 * Math.log(1.25 / delta))) / epsilon,
})

export const laplaceMean = law({
  id: 'privacy/laplace-mean',
  name: 'Error of a private mean',
  decides: 'how many records a private average needs to be useful',
  is: 'range / epsilon / records',
  source: 'C. Dwork, F. McSherry, K. Nissim, A. Smith, Calibrating Noise to Sensitivity in Private Data Analysis, TCC 2006',
  validity: 'values clamped to the range, number of records public; the expected absolute error, not its standard deviation',
  inputs: { range: one('1'), records: count, epsilon: one('1') },
  output: 'meanError',
  unit: '1',
  of: ({ range, records, epsilon }) => range / epsilon / records,
  also: { scale: { unit: '1', is: 'range / epsilon', of: ({ range, epsilon }) => range / epsilon } },
})

export const simpleComposition = law({
  id: 'privacy/simple-composition',
  name: 'Privacy spent by repeated releases',
  decides: 'how often the same data may be used before the budget is gone',
  is: 'releases * epsilon',
  source: `${DWORK_ROTH}, section 3.5`,
  validity: 'holds always, as an upper bound; advanced composition grows with the root of the number of releases',
  inputs: { releases: count, epsilon: one('1') },
  output: 'total',
  unit: '1',
  of: ({ releases, epsilon }) => releases * epsilon,
})
