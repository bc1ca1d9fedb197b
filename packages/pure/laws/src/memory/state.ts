// What a model needs to exist: weights to serve it; gradients, master copy and moments to train it; and how sharding divides that.

import { count, law, maybe, one, or } from '../law.ts'
import { ZERO, vol1, vol2 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

export const weights = law({
  id: 'memory/weights',
  name: 'Memory of the weights',
  decides: 'whether a model fits a device at a precision',
  is: 'params * bytesPerParam',
  source: vol1.modelCompression,
  validity: 'all parameters in one format; scales of block quantization add their share to the bytes per parameter',
  inputs: { params: count, bytesPerParam: one('B') },
  output: 'bytes',
  unit: 'B',
  of: ({ params, bytesPerParam }) => params * bytesPerParam,
})

// The book counts 8, 10, 12 or 16 bytes per parameter in different places. Each is a choice of these four inputs;
// mixed precision with Adam is 2 + 2 + 4 + 8.
export const trainingState = law({
  id: 'memory/training-state',
  name: 'Memory of the training state',
  decides: 'whether a model can be trained on a device without sharding',
  is: 'params * (weightBytesPerParam + gradBytesPerParam + masterBytesPerParam + momentBytesPerParam)',
  source: `${ZERO}, section 3.1`,
  validity:
    'state only: activations, buffers and fragmentation come on top; moments are all moments of the optimizer together; what is not kept is 0 B',
  inputs: {
    params: count,
    weightBytesPerParam: one('B'),
    gradBytesPerParam: one('B'),
    masterBytesPerParam: one('B'),
    momentBytesPerParam: one('B'),
    deviceMemory: maybe('B'),
  },
  output: 'bytes',
  unit: 'B',
  of: ({ params, weightBytesPerParam, gradBytesPerParam, masterBytesPerParam, momentBytesPerParam }) =>
    params * (weightBytesPerParam + gradBytesPerParam + masterBytesPerParam + momentBytesPerParam),
  also: {
    bytesPerParam: { unit: 'B', is: 'bytes / params', of: ({ params }, bytes) => bytes / params },
    taxRatio: {
      unit: '1',
      is: '(gradBytesPerParam + masterBytesPerParam + momentBytesPerParam) / weightBytesPerParam',
      of: ({ weightBytesPerParam, gradBytesPerParam, masterBytesPerParam, momentBytesPerParam }) =>
        (gradBytesPerParam + masterBytesPerParam + momentBytesPerParam) / weightBytesPerParam,
    },
    left: { unit: 'B', is: 'deviceMemory - bytes', of: ({ deviceMemory = Number.NaN }, bytes) => deviceMemory - bytes },
    devicesNeeded: {
      unit: '1',
      is: 'max(1, ceil(bytes / deviceMemory))',
      of: ({ deviceMemory = Number.NaN }, bytes) => Math.max(1, tolerantCeil(bytes / deviceMemory)),
    },
  },
})

const degree = or('1', 1, { least: 1 })

export const zeroPerDevice = law({
  id: 'memory/zero-per-device',
  name: 'Training state per device under ZeRO, stage 1 unless told',
  decides: 'which ZeRO stage and which parallel degrees make a model fit',
  is:
    'params / (tensorDegree * pipelineDegree) * (weightBytesPerParam / weightShards + gradBytesPerParam / gradShards + ' +
    'optimizerBytesPerParam / optimizerShards) ' +
    'where optimizerShards = dataDegree ^ max(0, min(1, stage)); gradShards = dataDegree ^ max(0, min(1, stage - 1)); ' +
    'weightShards = dataDegree ^ max(0, min(1, stage - 2))',
  source: ZERO,
  validity: 'whole stages 0 to 3, layers divide evenly over tensor and pipeline degrees; activations and gather buffers come on top',
  holds: ({ stage = 1 }) => Number.isInteger(stage),
  inputs: {
    params: count,
    weightBytesPerParam: one('B'),
    gradBytesPerParam: one('B'),
    optimizerBytesPerParam: one('B'),
    stage: or('1', 1, { most: 3 }),
    tensorDegree: degree,
    pipelineDegree: degree,
    dataDegree: degree,
  },
  output: 'perDevice',
  unit: 'B',
  of: ({
    params,
    weightBytesPerParam,
    gradBytesPerParam,
    optimizerBytesPerParam,
    stage = 1,
    tensorDegree = 1,
    pipelineDegree = 1,
    dataDegree = 1,
  }) =>
    (params / (tensorDegree * pipelineDegree)) *
    (weightBytesPerParam / (stage >= 3 ? dataDegree : 1) +
      gradBytesPerParam / (stage >= 2 ? dataDegree : 1) +
      optimizerBytesPerParam / (stage >= 1 ? dataDegree : 1)),
})

export const sharded = law({
  id: 'memory/sharded',
  name: 'Memory per device when fully sharded',
  decides: 'over how many devices to shard a state',
  is: 'totalMemory / devices',
  source: ZERO,
  validity: 'nothing replicated (ZeRO-3, FSDP, a cache split by heads); the layer gathered for use comes on top',
  inputs: { totalMemory: one('B'), devices: count },
  output: 'perDevice',
  unit: 'B',
  of: ({ totalMemory, devices }) => totalMemory / devices,
})

export const minDevices = law({
  id: 'memory/min-devices',
  name: 'Devices that hold a state',
  decides: 'the smallest group of devices on which a model can live',
  is: 'ceil(requiredMemory / deviceMemory)',
  source: vol2.computeInfrastructure,
  validity: 'the state splits evenly, all memory usable: a lower bound that tensor degrees of 2, 4, 8 round up',
  inputs: { requiredMemory: one('B'), deviceMemory: one('B') },
  output: 'devices',
  unit: '1',
  of: ({ requiredMemory, deviceMemory }) => tolerantCeil(requiredMemory / deviceMemory),
})

const part = or('B', 0)

export const footprint = law({
  id: 'memory/footprint',
  name: 'Memory footprint of a job',
  decides: 'whether a job fits, and which part to attack when it does not',
  is: 'weights + gradients + master + optimizer + activations + kvCache + other',
  source: vol1.modelTraining,
  validity: 'parts resident at the same moment and counted for the same devices; fragmentation belongs to other',
  inputs: { weights: part, gradients: part, master: part, optimizer: part, activations: part, kvCache: part, other: part },
  output: 'total',
  unit: 'B',
  of: ({ weights = 0, gradients = 0, master = 0, optimizer = 0, activations = 0, kvCache = 0, other = 0 }) =>
    weights + gradients + master + optimizer + activations + kvCache + other,
  also: { inferenceRatio: { unit: '1', is: 'total / weights', of: ({ weights = 0 }, total) => total / weights } },
})
