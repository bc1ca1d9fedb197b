// How the size of a batch sets the pace of one server: S(B) = fixedTime + timePerItem * B.

import { composite, count, law, maybe, one } from '../law.ts'
import { KINGMAN, vol1, vol2 } from '../sources.ts'

export const batchThroughput = law({
  id: 'batching/throughput',
  name: 'Throughput of one replica at a batch size',
  decides: 'what rate one replica sustains',
  is: 'batch / serviceTime',
  source: vol1.modelServing,
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
  source: vol2.inferenceAtScale,
  validity: 'time linear in the batch between profiled sizes; below the memory limit',
  inputs: { fixedTime: one('s'), timePerItem: one('s'), batch: count, arrivalRate: maybe('1/s') },
  output: 'serviceTime',
  unit: 's',
  of: ({ fixedTime, timePerItem, batch }) => fixedTime + timePerItem * batch,
  also: {
    throughput: { unit: '1/s', is: 'batch / serviceTime', of: ({ batch }, serviceTime) => batch / serviceTime },
    utilization: {
      unit: '1',
      is: 'arrivalRate * serviceTime / batch',
      of: ({ arrivalRate = Number.NaN, batch }, serviceTime) => (arrivalRate * serviceTime) / batch,
    },
  },
})

export const linearThroughput = composite({
  id: 'batching/linear-throughput',
  name: 'Throughput of a batch from fixed and marginal time',
  decides: 'how much a larger batch still gains',
  is: 'batch / (fixedTime + timePerItem * batch)',
  source: vol2.inferenceAtScale,
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
  source: vol2.inferenceAtScale,
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
  source: vol2.inferenceAtScale,
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
  decides: 'which batch size to start tuning from',
  is: 'sqrt(2 * fixedTime * arrivalRate / (1 - targetUtilization))',
  source: vol2.inferenceAtScale,
  validity:
    'fixed time far above the time per item; fixedTime * arrivalRate at most 2 / (1 - targetUtilization), or the guess cannot keep up',
  holds: ({ fixedTime, arrivalRate, targetUtilization }) => targetUtilization < 1 && fixedTime * arrivalRate <= 2 / (1 - targetUtilization),
  inputs: { fixedTime: one('s'), arrivalRate: one('1/s'), targetUtilization: one('1', { most: 1 }) },
  output: 'batch',
  unit: '1',
  of: ({ fixedTime, arrivalRate, targetUtilization }) => Math.sqrt((2 * fixedTime * arrivalRate) / (1 - targetUtilization)),
})

// The chapter takes a batch as one job of a Poisson stream (Pollaczek-Khinchine), which overstates the wait by a factor of the batch, and its
// table leaves out the forming delay, so that it recommends far too large a batch (32 instead of 7).
export const batchResponseTime = law({
  id: 'batching/response-time',
  name: 'Mean response time with fixed batches',
  decides: 'which batch size answers soonest',
  is: 'queueWait + formingDelay + fixedTime + batch * timePerItem',
  source: `${vol2.inferenceAtScale}; ${KINGMAN}`,
  validity:
    'Poisson requests, so full batches arrive as Erlang with a squared variation of 1 / batch; constant service time of a batch; every batch waits until it is full; waiting somewhat high at light load',
  holds: ({ fixedTime, timePerItem, batch, arrivalRate }) => (arrivalRate * (fixedTime + batch * timePerItem)) / batch < 1,
  inputs: { fixedTime: one('s'), timePerItem: one('s'), batch: count, arrivalRate: one('1/s') },
  output: 'responseTime',
  unit: 's',
  of: ({ fixedTime, timePerItem, batch, arrivalRate }) => responseTimeOf({ service: fixedTime + batch * timePerItem, batch, arrivalRate }),
  also: {
    queueWait: {
      unit: 's',
      is: 'arrivalRate * service^2 / (2 * batch * (batch - arrivalRate * service)) where service = fixedTime + batch * timePerItem',
      of: ({ fixedTime, timePerItem, batch, arrivalRate }) => queueWaitOf({ service: fixedTime + batch * timePerItem, batch, arrivalRate }),
    },
    formingDelay: { unit: 's', is: '(batch - 1) / (2 * arrivalRate)', of: ({ batch, arrivalRate }) => (batch - 1) / (2 * arrivalRate) },
  },
})

type Load = { readonly service: number; readonly batch: number; readonly arrivalRate: number }

const queueWaitOf = ({ service, batch, arrivalRate }: Load): number =>
  (arrivalRate * service * service) / (2 * batch * (batch - arrivalRate * service))

const responseTimeOf = (load: Load): number => queueWaitOf(load) + (load.batch - 1) / (2 * load.arrivalRate) + load.service

export const bestBatch = law({
  id: 'batching/best-batch',
  name: 'Batch size that answers soonest',
  decides: 'which fixed batch size to configure',
  is: 'text: the whole batch above fixedTime * arrivalRate / (1 - timePerItem * arrivalRate) whose response time is least',
  source: `${vol2.inferenceAtScale}: the response time of fixed batches, minimized`,
  validity: 'as the response time of fixed batches; the arrivals must stay below 1 / timePerItem, or no batch keeps up',
  holds: ({ timePerItem, arrivalRate }) => timePerItem * arrivalRate < 1,
  inputs: { fixedTime: one('s'), timePerItem: one('s'), arrivalRate: one('1/s') },
  output: 'batch',
  unit: '1',
  of: ({ fixedTime, timePerItem, arrivalRate }) => {
    const load = timePerItem * arrivalRate
    const timeAt = (batch: number): number => responseTimeOf({ service: fixedTime + batch * timePerItem, batch, arrivalRate })
    return load < 1 ? leastWhole(Math.floor((fixedTime * arrivalRate) / (1 - load)) + 1, timeAt) : Infinity
  },
  also: {
    responseTime: {
      unit: 's',
      is: 'arrivalRate * s^2 / (2 * batch * (batch - arrivalRate * s)) + (batch - 1) / (2 * arrivalRate) + s where s = fixedTime + batch * timePerItem',
      of: ({ fixedTime, timePerItem, arrivalRate }, batch) =>
        responseTimeOf({ service: fixedTime + batch * timePerItem, batch, arrivalRate }),
    },
  },
})

/** The whole number from `first` on at which a convex function is least; the response time is convex wherever the batch keeps up. */
function leastWhole(first: number, valueAt: (whole: number) => number): number {
  const falls = (whole: number): boolean => valueAt(whole + 1) < valueAt(whole)
  let low = first
  let high = first
  while (falls(high)) high *= 2
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (falls(middle)) low = middle + 1
    else high = middle
  }
  return high
}
