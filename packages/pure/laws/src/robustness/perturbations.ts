import { count, law, one, real } from '../law.ts'
import { normalQuantile } from '../normal.ts'

export const certifiedRadius = law({
  id: 'robustness/certified-radius',
  name: 'Certified radius of randomized smoothing',
  decides: 'which perturbations a smoothed classifier provably withstands',
  is: 'sigma * normalQuantile(topProbability)',
  source: 'J. Cohen, E. Rosenfeld, J. Z. Kolter, Certified Adversarial Robustness via Randomized Smoothing, ICML 2019',
  validity:
    'perturbations in the Euclidean norm; topProbability a lower confidence bound above one half, the rest counted as one rival class',
  holds: ({ topProbability }) => topProbability > 0.5,
  inputs: { sigma: one('1'), topProbability: one('1', { most: 1 }) },
  output: 'radius',
  unit: '1',
  of: ({ sigma, topProbability }) => sigma * normalQuantile(topProbability),
})

export const pgdCost = law({
  id: 'robustness/pgd-cost',
  name: 'Cost of adversarial training',
  decides: 'how many times longer robust training takes',
  is: '1 + attackSteps',
  source: 'A. Madry et al., Towards Deep Learning Models Resistant to Adversarial Attacks, ICLR 2018',
  validity: 'every sample is attacked, one forward and backward pass per attack step',
  inputs: { attackSteps: one('1') },
  output: 'passes',
  unit: '1',
  of: ({ attackSteps }) => 1 + attackSteps,
})

export const mcDropout = law({
  id: 'robustness/mc-dropout',
  name: 'Latency of uncertainty by repeated passes',
  decides: 'whether a request can afford an uncertainty estimate',
  is: 'passes * passTime',
  source: 'Y. Gal and Z. Ghahramani, Dropout as a Bayesian Approximation, ICML 2016',
  validity: 'passes run one after the other; batched into one call they cost less where the device is not full',
  inputs: { passes: count, passTime: one('s') },
  output: 'extraTime',
  unit: 's',
  of: ({ passes, passTime }) => passes * passTime,
})

export const outlierInfluence = law({
  id: 'robustness/outlier-influence',
  name: 'Pull of an outlier under squared loss',
  decides: 'whether corrupt labels call for clipping or a robust loss',
  is: 'errorFactor^2',
  source: 'P. J. Huber, Robust Estimation of a Location Parameter, Annals of Mathematical Statistics 35(1), 1964',
  validity: 'squared error; the loss grows with the square but the gradient only in proportion, and a Huber loss caps it',
  inputs: { errorFactor: real },
  output: 'lossFactor',
  unit: '1',
  of: ({ errorFactor }) => errorFactor ** 2,
  also: { gradientFactor: { unit: '1', is: 'errorFactor', of: ({ errorFactor }) => errorFactor } },
})
