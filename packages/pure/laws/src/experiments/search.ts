import { count, law, one, share } from '../law.ts'
import { vol1 } from '../sources.ts'

export const gridSearchRuns = law({
  id: 'experiments/grid-search-runs',
  name: 'Runs of a grid search',
  decides: 'whether a search space can be tried out in full',
  is: 'valuesPerParameter^parameters',
  source: 'J. Bergstra and Y. Bengio, Random Search for Hyper-Parameter Optimization, JMLR 13, 2012',
  validity: 'the same number of values for every parameter, every combination run once',
  inputs: { valuesPerParameter: count, parameters: count },
  output: 'runs',
  unit: '1',
  of: ({ valuesPerParameter, parameters }) => valuesPerParameter ** parameters,
})

export const iterationGain = law({
  id: 'experiments/iteration-gain',
  name: 'Accuracy after repeated improvement',
  decides: 'whether quick iterations of a small model overtake a large one',
  is: 'min(ceiling, startAccuracy + runs * gainPerRun)',
  source: vol1.mlWorkflow,
  validity: 'every run gains as much as the last until the ceiling; real gains shrink before it',
  inputs: { startAccuracy: share, runs: one('1'), gainPerRun: share, ceiling: share },
  output: 'accuracy',
  unit: '1',
  of: ({ startAccuracy, runs, gainPerRun, ceiling }) => Math.min(ceiling, startAccuracy + runs * gainPerRun),
})
