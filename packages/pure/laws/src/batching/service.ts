// How the size of a batch sets the pace of one server: S(B) = fixedTime + timePerItem * B.

import { composite, count, law, one, or } from '../law.ts'

const INFERENCE = 'Machine Learning Systems vol. 2, Inference at Scale'

export const batchThroughput = law({
  id: 'batching/throughput',
  name: 'Throughput of one replica at a batch size',
  decides: 'what rate one replica sustains',
  is: 'batch / serviceTime',
  source: 'Machine Learning Systems vol. 1, Model Serving',
  validity: 'full batches back to back; service time and batch measured together',
  inputs: { batch: count, serviceTime: one('s') },
  output: 'throughput',
  unit: '1/s',
  of: ({ batch, serviceTime }) => batch / serviceTime,
})

export const batchServiceTime = law({
  id: 'batching/service-time',
  name: 'Service time of a batch',
  decides: 'whether a batch size keeps up with the arrivals',
  is: 'fixedTime + timePerItem * batch',
  source: INFERENCE,
  validity: 'time linear in the batch between profiled sizes; below the memory limit',
  inputs: { fixedTime: one('s'), timePerItem: one('s'), batch: count, arrivalRate: or('1/s', 0) },
  output: 'serviceTime',
  unit: 's',
  of: ({ fixedTime, timePerItem, batch }) => fixedTime + timePerItem * batch,
  also: {
    throughput: { unit: '1/s', is: 'batch / serviceTime', of: ({ batch }, serviceTime) => batch / serviceTime },
    utilization: {
      unit: '1',
      is: 'arrivalRate * serviceTime / batch',
      of: ({ arrivalRate = 0, batch }, serviceTime) => (arrivalRate * serviceTime) / batch,
    },
  },
})

export const linearThroughput = composite({
  id: 'batching/linear-throughput',
  name: 'Throughput of a batch from fixed and marginal time',
  decides: 'how much a larger batch still gains',
  is: 'batch / (fixedTime + timePerItem * batch)',
  source: INFERENCE,
  validity: 'time linear in the batch; full batches back to back; never above 1 / timePerItem',
  inputs: { fixedTime: one('s'), timePerItem: one('s'), batch: count },
  output: 'throughput',
  unit: '1/s',
  via: ({ fixedTime, timePerItem, batch }, apply) =>
    apply(batchThroughput, { batch, serviceTime: apply(batchServiceTime, { fixedTime, timePerItem, batch }) }),
})

export const batchKnee = law({
  id: 'batching/knee',
  name: 'Knee of the batch curve',
  decides: 'beyond which batch size throughput gains less than latency loses',
  is: 'fixedTime / timePerItem',
  source: INFERENCE,
  validity: 'time linear in the batch; at the knee half of the limiting throughput is reached',
  inputs: { fixedTime: one('s'), timePerItem: one('s') },
  output: 'knee',
  unit: '1',
  of: ({ fixedTime, timePerItem }) => fixedTime / timePerItem,
})

export const minStableBatch = law({
  id: 'batching/min-stable',
  name: 'Smallest batch that keeps up',
  decides: 'which batch sizes must be rejected because the queue would grow without bound',
  is: 'fixedTime * arrivalRate / (1 - timePerItem * arrivalRate)',
  source: INFERENCE,
  validity: 'time linear in the batch; the arrivals must stay below 1 / timePerItem, or no batch keeps up',
  holds: ({ timePerItem, arrivalRate }) => timePerItem * arrivalRate < 1,
  inputs: { fixedTime: one('s'), timePerItem: one('s'), arrivalRate: one('1/s') },
  output: 'minBatch',
  unit: '1',
  of: ({ fixedTime, timePerItem, arrivalRate }) => (fixedTime * arrivalRate) / (1 - timePerItem * arrivalRate),
})

export const squareRootBatch = law({
  id: 'batching/sqrt-law',
  name: 'Square-root law of the batch size',
  decides: 'a first guess at the batch size',
  is: 'sqrt(2 * fixedTime * arrivalRate / (1 - targetUtilization))',
  source: INFERENCE,
  validity:
    'fixed time far above the time per item; target utilization about 0.7 to 0.8; below batching/min-stable the guess does not hold',
  holds: ({ targetUtilization }) => targetUtilization < 1,
  inputs: { fixedTime: one('s'), arrivalRate: one('1/s'), targetUtilization: one('1', { most: 1 }) },
  output: 'batch',
  unit: '1',
  of: ({ fixedTime, arrivalRate, targetUtilization }) => Math.sqrt((2 * fixedTime * arrivalRate) / (1 - targetUtilization)),
})

// The printed table of this model leaves out the forming delay and so recommends far too large a batch (32 instead of 10).
export const batchResponseTime = law({
  id: 'batching/response-time',
  name: 'Mean response time with fixed batches',
  decides: 'which batch size answers soonest',
  is: 'queueWait + formingDelay + fixedTime + batch * timePerItem',
  source: `${INFERENCE}; waiting by the Pollaczek-Khinchine formula with a batch as one job`,
  validity: 'Poisson arrivals, constant service time of a batch, every batch waits until it is full; no continuous batching',
  holds: ({ fixedTime, timePerItem, batch, arrivalRate }) => (arrivalRate * (fixedTime + batch * timePerItem)) / batch < 1,
  inputs: { fixedTime: one('s'), timePerItem: one('s'), batch: count, arrivalRate: one('1/s') },
  output: 'responseTime',
  unit: 's',
  of: ({ fixedTime, timePerItem, batch, arrivalRate }) => responseTimeOf(fixedTime + batch * timePerItem, batch, arrivalRate),
  also: {
    queueWait: {
      unit: 's',
      is: 'arrivalRate * service^2 / (2 * (batch - arrivalRate * service)) where service = fixedTime + batch * timePerItem',
      of: ({ fixedTime, timePerItem, batch, arrivalRate }) => queueWaitOf(fixedTime + batch * timePerItem, batch, arrivalRate),
    },
    formingDelay: { unit: 's', is: 'batch / (2 * arrivalRate)', of: ({ batch, arrivalRate }) => batch / (2 * arrivalRate) },
  },
})

const queueWaitOf = (service: number, batch: number, arrivalRate: number): number =>
  (arrivalRate * service * service) / (2 * (batch - arrivalRate * service))

const responseTimeOf = (service: number, batch: number, arrivalRate: number): number =>
  queueWaitOf(service, batch, arrivalRate) + batch / (2 * arrivalRate) + service

// With u = B - arrivalRate * S(B), how far the batch is from saturation, the response time is a/u + b*u + constant: convex, so the
// best whole batch is a neighbour of the real minimum and needs no search.
export const bestBatch = law({
  id: 'batching/best-batch',
  name: 'Batch size that answers soonest',
  decides: 'which fixed batch size to configure',
  is: 'text: the better neighbour of fixedTime*arrivalRate*(1 + 1/sqrt(1 + x - x^2))/(1 - x), x = timePerItem*arrivalRate',
  source: `${INFERENCE}: the response time of fixed batches, minimised`,
  validity: 'as the response time of fixed batches; the arrivals must stay below 1 / timePerItem',
  holds: ({ timePerItem, arrivalRate }) => timePerItem * arrivalRate < 1,
  inputs: { fixedTime: one('s'), timePerItem: one('s'), arrivalRate: one('1/s') },
  output: 'batch',
  unit: '1',
  of: ({ fixedTime, timePerItem, arrivalRate }) => {
    const load = timePerItem * arrivalRate
    const real = (fixedTime * arrivalRate * (1 + 1 / Math.sqrt(1 + load - load * load))) / (1 - load)
    const below = Math.floor(real)
    const above = Math.max(1, Math.ceil(real))
    if (below <= (fixedTime * arrivalRate) / (1 - load)) return above
    const timeBelow = responseTimeOf(fixedTime + below * timePerItem, below, arrivalRate)
    return timeBelow < responseTimeOf(fixedTime + above * timePerItem, above, arrivalRate) ? below : above
  },
  also: {
    responseTime: {
      unit: 's',
      is: 'arrivalRate * s^2 / (2 * (batch - arrivalRate * s)) + batch / (2 * arrivalRate) + s where s = fixedTime + batch * timePerItem',
      of: ({ fixedTime, timePerItem, arrivalRate }, batch) => responseTimeOf(fixedTime + batch * timePerItem, batch, arrivalRate),
    },
  },
})
