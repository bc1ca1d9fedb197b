import { count, countOr, law, one, or } from '../law.ts'
import { vol1 } from '../sources.ts'

export const acceleratorUtilization = law({
  id: 'data/accelerator-utilization',
  name: 'Accelerator utilization behind an input pipeline',
  decides: 'whether a faster accelerator would bring anything',
  is: 'min(1, pipelineRate / acceleratorRate)',
  source: vol1.modelTraining,
  validity: 'pipeline and accelerator overlap; the slower one sets the pace',
  inputs: { pipelineRate: one('1/s'), acceleratorRate: one('1/s') },
  output: 'utilization',
  unit: '1',
  of: ({ pipelineRate, acceleratorRate }) => Math.min(1, pipelineRate / acceleratorRate),
})

export const feedingTax = law({
  id: 'data/feeding-tax',
  name: 'Share of accelerator time lost to slow input',
  decides: 'how much of the accelerator bill pays for waiting',
  is: 'max(0, 1 - deliveredBandwidth / requiredBandwidth)',
  source: vol1.dataEngineering,
  validity: 'input bound, nothing cached',
  inputs: { deliveredBandwidth: one('B/s'), requiredBandwidth: one('B/s') },
  output: 'tax',
  unit: '1',
  of: ({ deliveredBandwidth, requiredBandwidth }) => Math.max(0, 1 - deliveredBandwidth / requiredBandwidth),
})

export const preprocessTime = law({
  id: 'data/preprocess-time',
  name: 'Time to tokenize a batch',
  decides: 'how many workers keep preprocessing off the critical path',
  is: 'tokens / (ratePerWorker * workers)',
  source: vol1.modelTraining,
  validity: 'work splits evenly over workers; must stay below the compute time of a step',
  inputs: { tokens: one('token'), ratePerWorker: one('token/s'), workers: countOr(1) },
  output: 'time',
  unit: 's',
  of: ({ tokens, ratePerWorker, workers = 1 }) => tokens / (ratePerWorker * workers),
})

export const dataEcho = law({
  id: 'data/echo',
  name: 'Training time with data echoing',
  decides: 'how often to reuse a batch while the pipeline fetches the next',
  is: 'epochs * samples / min(acceleratorRate, echoFactor * pipelineRate)',
  source: 'D. Choi, A. Passos, C. J. Shallue, G. E. Dahl, Faster Neural Network Training with Data Echoing, 2019',
  validity: 'an echoed sample is worth a fresh one, which holds up to a factor of about 4 and not beyond the ratio of the rates',
  holds: ({ pipelineRate, acceleratorRate, echoFactor = 1 }) => echoFactor <= Math.min(4, Math.max(1, acceleratorRate / pipelineRate)),
  inputs: {
    pipelineRate: one('1/s'),
    acceleratorRate: one('1/s'),
    echoFactor: or('1', 1, { least: 1 }),
    epochs: one('1'),
    samples: one('1'),
  },
  output: 'time',
  unit: 's',
  of: ({ pipelineRate, acceleratorRate, echoFactor = 1, epochs, samples }) =>
    (epochs * samples) / Math.min(acceleratorRate, echoFactor * pipelineRate),
  also: {
    ratio: { unit: '1', is: 'acceleratorRate / pipelineRate', of: ({ pipelineRate, acceleratorRate }) => acceleratorRate / pipelineRate },
    utilization: {
      unit: '1',
      is: 'min(1, echoFactor * pipelineRate / acceleratorRate)',
      of: ({ pipelineRate, acceleratorRate, echoFactor = 1 }) => Math.min(1, (echoFactor * pipelineRate) / acceleratorRate),
    },
    idle: {
      unit: '1',
      is: '1 - utilization',
      of: ({ pipelineRate, acceleratorRate, echoFactor = 1 }) => 1 - Math.min(1, (echoFactor * pipelineRate) / acceleratorRate),
    },
  },
})

export const distributedReduce = law({
  id: 'data/distributed-reduce',
  name: 'Speedup of moving the computation to the data',
  decides: 'whether to gather the data centrally or to reduce it where it lies',
  is: 'centralTime / localTime',
  source: vol1.dataEngineering,
  validity: 'the local result is tiny against the data, which lies evenly in the memory of the nodes',
  inputs: { bytes: one('B'), linkBandwidth: one('B/s'), centralCompute: or('s', 0), nodes: count, memoryBandwidth: one('B/s') },
  output: 'speedup',
  unit: '1',
  of: ({ bytes, linkBandwidth, centralCompute = 0, nodes, memoryBandwidth }) =>
    (bytes / linkBandwidth + centralCompute) / (bytes / nodes / memoryBandwidth),
  also: {
    centralTime: {
      unit: 's',
      is: 'bytes / linkBandwidth + centralCompute',
      of: ({ bytes, linkBandwidth, centralCompute = 0 }) => bytes / linkBandwidth + centralCompute,
    },
    localTime: {
      unit: 's',
      is: 'bytes / nodes / memoryBandwidth',
      of: ({ bytes, nodes, memoryBandwidth }) => bytes / nodes / memoryBandwidth,
    },
  },
})
