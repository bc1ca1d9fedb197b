import { count, law, share } from '../law.ts'
import { vol2 } from '../sources.ts'

export const automationFailure = law({
  id: 'fairness/automation-failure',
  name: 'Wrong advice that people accept',
  decides: 'whether a human in the loop is a safeguard',
  is: '(1 - aiAccuracy) * acceptance',
  source: vol2.responsibleEngineering,
  validity: 'acceptance measured on wrong advice, and the same for easy and hard cases',
  inputs: { aiAccuracy: share, acceptance: share },
  output: 'probability',
  unit: '1',
  of: ({ aiAccuracy, acceptance }) => (1 - aiAccuracy) * acceptance,
})

export const explanationOverhead = law({
  id: 'fairness/explanation-overhead',
  name: 'Extra compute for explanations',
  decides: 'what share of predictions a fleet can afford to explain',
  is: 'explainedShare * passes',
  source: vol2.responsibleEngineering,
  validity: 'each explanation reruns the model at the cost of an ordinary prediction; counted in predictions',
  inputs: { explainedShare: share, passes: count },
  output: 'extraCompute',
  unit: '1',
  of: ({ explainedShare, passes }) => explainedShare * passes,
})

export const shapleySubsets = law({
  id: 'fairness/shapley-subsets',
  name: 'Evaluations of an exact Shapley attribution',
  decides: 'whether attributions can be exact or must be sampled',
  is: '2^features',
  source:
    'L. S. Shapley, A value for n-person games, 1953; S. Lundberg and S.-I. Lee, A Unified Approach to Interpreting Model Predictions, NIPS 2017',
  validity: 'any model, every subset evaluated; methods for trees or linear models need far fewer',
  inputs: { features: count },
  output: 'subsets',
  unit: '1',
  of: ({ features }) => 2 ** features,
})
