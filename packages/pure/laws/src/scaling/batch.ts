import { count, law, one } from '../law.ts'
import { GOYAL } from '../sources.ts'

const MCCANDLISH = 'S. McCandlish, J. Kaplan, D. Amodei, An Empirical Model of Large-Batch Training, 2018'

export const linearLearningRate = law({
  id: 'scaling/linear-learning-rate',
  name: 'Linear scaling rule of the learning rate',
  decides: 'which learning rate to start from at a larger batch',
  is: 'baseLearningRate * newBatch / baseBatch',
  source: GOYAL,
  validity: 'stochastic gradient descent with warm-up, below the critical batch size',
  inputs: { baseLearningRate: one('1'), baseBatch: count, newBatch: count },
  output: 'learningRate',
  unit: '1',
  of: ({ baseLearningRate, baseBatch, newBatch }) => (baseLearningRate * newBatch) / baseBatch,
})

export const squareRootLearningRate = law({
  id: 'scaling/sqrt-learning-rate',
  name: 'Square root scaling rule of the learning rate',
  decides: 'which learning rate to start from when the linear rule diverges',
  is: 'baseLearningRate * sqrt(newBatch / baseBatch)',
  source: 'A. Krizhevsky, One weird trick for parallelizing convolutional neural networks, 2014',
  validity: 'keeps the variance of the update; the usual choice for adaptive optimizers and beyond the critical batch',
  inputs: { baseLearningRate: one('1'), baseBatch: count, newBatch: count },
  output: 'learningRate',
  unit: '1',
  of: ({ baseLearningRate, baseBatch, newBatch }) => baseLearningRate * Math.sqrt(newBatch / baseBatch),
})

export const stepsAtBatch = law({
  id: 'scaling/steps-at-batch',
  name: 'Steps to a target loss at a batch size',
  decides: 'how large a batch, and so how many replicas, still shortens training',
  is: 'minSteps * (1 + criticalBatch / batch)',
  source: MCCANDLISH,
  validity: 'one target loss, learning rate tuned at each batch; the critical batch grows as the loss falls',
  inputs: { minSteps: one('1'), criticalBatch: one('1'), batch: count },
  output: 'steps',
  unit: '1',
  of: ({ minSteps, criticalBatch, batch }) => minSteps * (1 + criticalBatch / batch),
  also: {
    samples: { unit: '1', is: 'steps * batch', of: ({ batch }, steps) => steps * batch },
    extraSamples: { unit: '1', is: 'batch / criticalBatch', of: ({ criticalBatch, batch }) => batch / criticalBatch },
  },
})
