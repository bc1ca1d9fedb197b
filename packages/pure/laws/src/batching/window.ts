// Batches gathered in a time window: what the window costs, how full it gets, and how the fill varies.

import { count, law, maybe, one, or } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'
import { tolerantFloor, tolerantCeil } from '../whole.ts'

export const expectedBatch = law({
  id: 'batching/expected-batch',
  name: 'Batch that a window gathers',
  decides: 'whether a window fills the batch',
  is: 'min(maxBatch, arrivalRate * window)',
  source: vol2.inferenceAtScale,
  validity: 'steady arrivals; a window closes early when the batch is full',
  inputs: { arrivalRate: one('1/s'), window: one('s'), maxBatch: count },
  output: 'expectedBatch',
  unit: '1',
  of: ({ arrivalRate, window, maxBatch }) => Math.min(maxBatch, arrivalRate * window),
})

export const adaptiveWindow = law({
  id: 'batching/adaptive-window',
  name: 'Window that follows the arrivals',
  decides: 'how long to wait for a batch at the present rate',
  is: 'min(maxWindow, targetBatch / arrivalRate)',
  source: vol2.inferenceAtScale,
  validity: 'the present rate lasts for at least one window',
  inputs: { maxWindow: one('s'), targetBatch: count, arrivalRate: one('1/s') },
  output: 'window',
  unit: 's',
  of: ({ maxWindow, targetBatch, arrivalRate }) => Math.min(maxWindow, targetBatch / arrivalRate),
})

export const formationDelay = law({
  id: 'batching/formation-delay',
  name: 'Delay of forming a batch',
  decides: 'whether batching is worth its wait at this rate',
  is: '(batch - 1) / (2 * arrivalRate)',
  source: vol1.modelServing,
  validity: 'steady arrivals, mean over the requests of a batch; the first of them waits twice as long',
  inputs: { batch: count, arrivalRate: one('1/s'), serviceTime: one('s'), baseLatency: one('s') },
  output: 'formationDelay',
  unit: 's',
  of: ({ batch, arrivalRate }) => (batch - 1) / (2 * arrivalRate),
  also: {
    latency: { unit: 's', is: 'formationDelay + serviceTime', of: ({ serviceTime }, formationDelay) => formationDelay + serviceTime },
    penalty: {
      unit: '1',
      is: '(formationDelay + serviceTime) / baseLatency',
      of: ({ serviceTime, baseLatency }, formationDelay) => (formationDelay + serviceTime) / baseLatency,
    },
  },
})

// A measured service time of the whole batch goes in as fixedTime, with nothing per item.
export const windowedBatch = law({
  id: 'batching/windowed',
  name: 'Throughput of a batch with a waiting window',
  decides: 'how much throughput a longer window costs',
  is: 'batch / (window + fixedTime + timePerItem * batch)',
  source: vol1.modelServing,
  validity: 'the window does not overlap the computation of the batch before it: a lower bound',
  inputs: { window: one('s'), fixedTime: one('s'), timePerItem: or('s', 0), batch: count },
  output: 'throughput',
  unit: '1/s',
  of: ({ window, fixedTime, timePerItem = 0, batch }) => batch / (window + fixedTime + timePerItem * batch),
  also: {
    serviceTime: {
      unit: 's',
      is: 'fixedTime + timePerItem * batch',
      of: ({ fixedTime, timePerItem = 0, batch }) => fixedTime + timePerItem * batch,
    },
    latency: {
      unit: 's',
      is: 'window + fixedTime + timePerItem * batch',
      of: ({ window, fixedTime, timePerItem = 0, batch }) => window + fixedTime + timePerItem * batch,
    },
    marginalShare: {
      unit: '1',
      is: 'timePerItem * batch / (fixedTime + timePerItem * batch)',
      of: ({ fixedTime, timePerItem = 0, batch }) => (timePerItem * batch) / (fixedTime + timePerItem * batch),
    },
  },
})

export const batchForLatencyTarget = law({
  id: 'batching/max-batch',
  name: 'Largest batch within a latency target',
  decides: 'the cap of the batch size',
  is: 'floor((latencyTarget - window / 2 - fixedTime) / timePerItem)',
  source: vol1.modelServing,
  validity: 'the target is a mean, not a percentile; time linear in the batch; memory permitting',
  holds: ({ latencyTarget, window, fixedTime }) => latencyTarget > window / 2 + fixedTime,
  inputs: { latencyTarget: one('s'), window: one('s'), fixedTime: one('s'), timePerItem: one('s') },
  output: 'batch',
  unit: '1',
  of: ({ latencyTarget, window, fixedTime, timePerItem }) => tolerantFloor((latencyTarget - window / 2 - fixedTime) / timePerItem),
  also: {
    averageWait: { unit: 's', is: 'window / 2', of: ({ window }) => window / 2 },
    serviceBudget: { unit: 's', is: 'latencyTarget - window / 2', of: ({ latencyTarget, window }) => latencyTarget - window / 2 },
  },
})

// The chapter's own table of windows does not follow from this formula; the formula is what is kept here.
export const optimalWindow = law({
  id: 'batching/optimal-window',
  name: 'Batching window within a latency target',
  decides: 'how long to wait for a batch',
  is: 'min(latencyTarget - serviceTime, sqrt(serviceTime / arrivalRate))',
  source: vol1.modelServing,
  validity: 'a rule of thumb for steady arrivals; the service time must leave room below the target',
  holds: ({ latencyTarget, serviceTime }) => serviceTime < latencyTarget,
  inputs: { latencyTarget: one('s'), serviceTime: one('s'), arrivalRate: one('1/s') },
  output: 'window',
  unit: 's',
  of: ({ latencyTarget, serviceTime, arrivalRate }) => Math.min(latencyTarget - serviceTime, Math.sqrt(serviceTime / arrivalRate)),
})

export const poissonBatch = law({
  id: 'batching/poisson-batch',
  name: 'Spread of the batch that a window gathers',
  decides: 'how often a window runs empty or twice as full as planned',
  is: 'arrivalRate * window',
  source: `${vol1.modelServing}; S. D. Poisson, 1837`,
  validity: 'independent arrivals at a constant rate; the window is not closed early',
  inputs: { arrivalRate: one('1/s'), window: one('s') },
  output: 'meanBatch',
  unit: '1',
  of: ({ arrivalRate, window }) => arrivalRate * window,
  also: {
    sdBatch: { unit: '1', is: 'sqrt(meanBatch)', of: (_, meanBatch) => Math.sqrt(meanBatch) },
    pEmpty: { unit: '1', is: 'exp(-meanBatch)', of: (_, meanBatch) => Math.exp(-meanBatch) },
    pTwiceMean: {
      unit: '1',
      is: 'text: the Poisson probability of at least 2 * meanBatch arrivals',
      of: (_, meanBatch) => poissonAtLeast({ least: tolerantCeil(2 * meanBatch), mean: meanBatch }),
    },
  },
})

export const batchP99Latency = law({
  id: 'batching/p99-latency',
  name: '99th percentile latency with a batching window',
  decides: 'whether a window keeps the tail within its target',
  is: 'text: window + fixedTime + timePerItem * p99Batch',
  source: vol1.modelServing,
  validity:
    'Poisson arrivals; the slow request waits the whole window and lands in a batch of the 99th percentile; no queue behind a busy server',
  inputs: { arrivalRate: one('1/s'), window: one('s'), fixedTime: one('s'), timePerItem: one('s'), batch99: maybe('1') },
  output: 'p99Latency',
  unit: 's',
  of: ({ arrivalRate, window, fixedTime, timePerItem, batch99 }) =>
    window + fixedTime + timePerItem * (batch99 ?? poissonP99(arrivalRate * window)),
  also: {
    meanBatch: { unit: '1', is: 'arrivalRate * window', of: ({ arrivalRate, window }) => arrivalRate * window },
    p99Batch: {
      unit: '1',
      is: 'text: batch99 where given, else the 0.99 quantile of a Poisson count with mean arrivalRate * window',
      of: ({ arrivalRate, window, batch99 }) => batch99 ?? poissonP99(arrivalRate * window),
    },
    meanLatency: {
      unit: 's',
      is: 'window / 2 + fixedTime + timePerItem * arrivalRate * window',
      of: ({ arrivalRate, window, fixedTime, timePerItem }) => window / 2 + fixedTime + timePerItem * arrivalRate * window,
    },
    ratio: {
      unit: '1',
      is: 'p99Latency / meanLatency',
      of: ({ arrivalRate, window, fixedTime, timePerItem }, p99Latency) =>
        p99Latency / (window / 2 + fixedTime + timePerItem * arrivalRate * window),
    },
  },
})

// Above this mean e^-mean nears the end of the range of a double; the normal quantile is then good to a fraction of a request, and
// twice the mean is never seen.
const LARGE_MEAN = 500

function poissonP99(mean: number): number {
  if (mean > LARGE_MEAN) return Math.ceil(mean + 2.326347874 * Math.sqrt(mean) + 0.735)
  let probability = Math.exp(-mean)
  let reached = probability
  let size = 0
  while (reached < 0.99) {
    size += 1
    probability *= mean / size
    reached += probability
  }
  return size
}

// Summed upwards from the tail: 1 minus the sum below it would lose every digit of a small probability.
function poissonAtLeast({ least, mean }: { readonly least: number; readonly mean: number }): number {
  if (mean > LARGE_MEAN) return 0
  let exponent = -mean
  for (let size = 1; size <= least; size += 1) exponent += Math.log(mean / size)
  let probability = Math.exp(exponent)
  let total = 0
  for (let size = least + 1; total + probability !== total; size += 1) {
    total += probability
    probability *= mean / size
  }
  return total
}
