import { law, one } from '../law.ts'
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
