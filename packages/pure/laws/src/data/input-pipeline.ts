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

export const loaderWorkers = law({
  id: 'data/loader-workers',
  name: 'Loader workers that keep up with a step',
  decides: 'how many workers read samples beside each trainer',
  is: 'max(1, ceil(samples * readTime / (load * stepTime)))',
  source: 'utilization law of queues (D. A. Menascé et al., Performance by Design, 2004, chapter 3): busy workers = rate * service time',
  validity: 'workers read independently; at a load of 0.7 a queue in front of them stays short',
  inputs: {
    samples: one('1'),
    readTime: one('s'),
    stepTime: one('s', { least: Number.MIN_VALUE }),
    load: or('1', 0.7, { least: 0.01, most: 1 }),
  },
  output: 'workers',
  unit: '1',
  of: ({ samples, readTime, stepTime, load = 0.7 }) => Math.max(1, Math.ceil((samples * readTime) / (load * stepTime))),
})

export const prefetchDepth = law({
  id: 'data/prefetch-depth',
  name: 'Batches that a loader keeps ready',
  decides: 'how much host memory goes to batches, and whether a slow read stops a step',
  is: '1 + ceil(slowRead / stepTime)',
  source: 'a batch must be there for every step that begins while a slow read lasts',
  validity: 'one slow read at a time; workers keep up on average',
  inputs: { slowRead: one('s'), stepTime: one('s', { least: Number.MIN_VALUE }) },
  output: 'depth',
  unit: '1',
  of: ({ slowRead, stepTime }) => 1 + Math.ceil(slowRead / stepTime),
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
