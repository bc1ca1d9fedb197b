// How devices, microbatches and parallel degrees multiply.

import { count, law, one, or } from '../law.ts'
import { GOYAL, vol1 } from '../sources.ts'

const degree = or('1', 1, { least: 1 })

export const deviceProduct = law({
  id: 'parallelism/device-product',
  name: 'Devices of a parallel layout',
  decides: 'which combinations of parallel degrees a cluster can hold',
  is: 'tensorDegree * pipelineDegree * dataDegree',
  source: 'D. Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM, SC21, 2021',
  validity: 'every degree a whole number; expert parallelism reuses the devices of the data degree',
  holds: ({ tensorDegree = 1, pipelineDegree = 1, dataDegree = 1 }) =>
    Number.isInteger(tensorDegree) && Number.isInteger(pipelineDegree) && Number.isInteger(dataDegree),
  inputs: { tensorDegree: degree, pipelineDegree: degree, dataDegree: degree },
  output: 'devices',
  unit: '1',
  of: ({ tensorDegree = 1, pipelineDegree = 1, dataDegree = 1 }) => tensorDegree * pipelineDegree * dataDegree,
})

export const globalBatch = law({
  id: 'parallelism/global-batch',
  name: 'Global batch',
  decides: 'the batch the optimizer sees, and with it the learning rate',
  is: 'microBatch * accumulationSteps * devices',
  source: GOYAL,
  validity: 'devices are data-parallel replicas; gradients averaged over all of them, no statistics per batch',
  inputs: { microBatch: count, accumulationSteps: degree, devices: degree },
  output: 'globalBatch',
  unit: '1',
  of: ({ microBatch, accumulationSteps = 1, devices = 1 }) => microBatch * accumulationSteps * devices,
})

// The book lets a quarter of the devices finish in the same two weeks and calls the difference a saving.
export const sameWorkTime = law({
  id: 'parallelism/same-work-time',
  name: 'Time of the same work on another number of devices',
  decides: 'what fewer devices cost in time: accumulation saves devices, not device-hours',
  is: 'timeBefore * devicesBefore / devicesAfter',
  source: vol1.modelTraining,
  validity: 'equal efficiency at both sizes',
  inputs: { timeBefore: one('s'), devicesBefore: count, devicesAfter: count },
  output: 'timeAfter',
  unit: 's',
  of: ({ timeBefore, devicesBefore, devicesAfter }) => (timeBefore * devicesBefore) / devicesAfter,
})
