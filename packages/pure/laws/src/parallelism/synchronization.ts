// What waiting for each other costs: barriers, stragglers, uneven experts, stale gradients.

import { count, law, one, or } from '../law.ts'
import { vol2 } from '../sources.ts'

export const tensorParallelLayerTime = law({
  id: 'parallelism/tp-layer-time',
  name: 'Layer time under tensor parallelism',
  decides: 'which tensor degree still shortens a token',
  is: '(attentionTime + mlpTime) / tensorDegree + 2 * allReduceTime',
  source: vol2.inferenceAtScale,
  validity: 'compute divides evenly, two exposed all-reduces per layer',
  inputs: { attentionTime: one('s'), mlpTime: one('s'), tensorDegree: count, allReduceTime: one('s'), layers: or('1', 1, { least: 1 }) },
  output: 'layerTime',
  unit: 's',
  of: ({ attentionTime, mlpTime, tensorDegree, allReduceTime }) => (attentionTime + mlpTime) / tensorDegree + 2 * allReduceTime,
  also: {
    speedup: {
      unit: '1',
      is: '(attentionTime + mlpTime) / layerTime',
      of: ({ attentionTime, mlpTime }, layerTime) => (attentionTime + mlpTime) / layerTime,
    },
    total: { unit: 's', is: 'layers * layerTime', of: ({ layers = 1 }, layerTime) => layers * layerTime },
  },
})

export const accumulationOverhead = law({
  id: 'parallelism/accumulation-overhead',
  name: 'Communication share under gradient accumulation',
  decides: 'how many microbatches to accumulate on a slow network',
  is: 'communicationTime / (accumulationSteps * computeTime)',
  source: vol2.distributedTraining,
  validity: 'one synchronization per accumulated step, not overlapped; compute time is that of one microbatch',
  inputs: { communicationTime: one('s'), accumulationSteps: count, computeTime: one('s') },
  output: 'overhead',
  unit: '1',
  of: ({ communicationTime, accumulationSteps, computeTime }) => communicationTime / (accumulationSteps * computeTime),
})

export const convergenceSpeedup = law({
  id: 'parallelism/convergence-speedup',
  name: 'Speedup to the same loss',
  decides: 'whether more devices or looser synchronization shorten the way to a loss',
  is: 'baselineIterations / (iterations * (1 + communicationOverhead))',
  source: vol2.distributedTraining,
  validity: 'iterations to the same loss, measured; compute per iteration and device unchanged',
  inputs: { baselineIterations: count, iterations: count, communicationOverhead: one('1'), devices: count },
  output: 'speedup',
  unit: '1',
  of: ({ baselineIterations, iterations, communicationOverhead }) => baselineIterations / (iterations * (1 + communicationOverhead)),
  also: {
    sampleEfficiency: {
      unit: '1',
      is: 'baselineIterations / devices / iterations',
      of: ({ baselineIterations, devices, iterations }) => baselineIterations / devices / iterations,
    },
  },
})

export const staleLearningRate = law({
  id: 'parallelism/ssp-lr',
  name: 'Learning rate under bounded staleness',
  decides: 'by how much to lower the learning rate when workers may run ahead',
  is: '1 / sqrt(1 + staleness)',
  source: vol2.distributedTraining,
  validity: 'stale synchronous training with a bound of a few steps; a starting point to be confirmed by runs',
  holds: ({ staleness }) => staleness <= 8,
  inputs: { staleness: one('1') },
  output: 'learningRateFactor',
  unit: '1',
  of: ({ staleness }) => 1 / Math.sqrt(1 + staleness),
})

export const straggler = law({
  id: 'parallelism/straggler',
  name: 'Step time behind the slowest device',
  decides: 'whether to replace or drain a slow device',
  is: '1 / slowestRelativeSpeed',
  source: vol2.introduction,
  validity: 'synchronous steps, equal work on every device',
  inputs: { slowestRelativeSpeed: one('1', { most: 1 }) },
  output: 'stepTimeFactor',
  unit: '1',
  of: ({ slowestRelativeSpeed }) => 1 / slowestRelativeSpeed,
  also: {
    throughputLoss: { unit: '1', is: '1 - slowestRelativeSpeed', of: ({ slowestRelativeSpeed }) => 1 - slowestRelativeSpeed },
  },
})

export const slowestNode = law({
  id: 'parallelism/slowest-node',
  name: 'Wait for the slowest of many nodes',
  decides: 'what the spread of speed from node to node costs a synchronous step',
  is: 'workTime * spread * sqrt(2 * ln(nodes))',
  source: 'expected maximum of normal draws, leading term: H. Cramér, Mathematical Methods of Statistics, 1946, section 28.6',
  validity:
    'speeds vary independently from node to node with one standard deviation of spread; twice too much at two nodes, by 40 percent at ten, by 20 at a hundred',
  inputs: { workTime: one('s'), spread: one('1'), nodes: count },
  output: 'wait',
  unit: 's',
  of: ({ workTime, spread, nodes }) => workTime * spread * Math.sqrt(2 * Math.log(nodes)),
})

export const stragglerWaste = law({
  id: 'parallelism/straggler-waste',
  name: 'Work lost to one slow device',
  decides: 'what a slow device costs the devices that wait for it',
  is: '(devices - 1) * slowdown',
  source: vol2.networkFabrics,
  validity: 'synchronous steps, one slow device, slowdown as a share of the step; counted in device steps per iteration',
  inputs: { devices: count, slowdown: one('1') },
  output: 'wastedDeviceSteps',
  unit: '1',
  of: ({ devices, slowdown }) => (devices - 1) * slowdown,
})

export const expertImbalance = law({
  id: 'parallelism/expert-imbalance',
  name: 'Utilization under uneven experts',
  decides: 'how much load balancing of experts is worth',
  is: '1 / (1 + imbalance)',
  source: vol2.inferenceAtScale,
  validity: 'all experts wait for the fullest one; imbalance is its excess over the mean load',
  inputs: { imbalance: one('1') },
  output: 'utilization',
  unit: '1',
  of: ({ imbalance }) => 1 / (1 + imbalance),
})
