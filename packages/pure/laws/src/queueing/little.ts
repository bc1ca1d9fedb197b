import { count, countOr, law, maybe, one } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

const LITTLE = 'J. D. C. Little, A Proof for the Queuing Formula: L = lambda W, Operations Research 9(3), 1961'

export const little = law({
  id: 'queueing/little',
  name: "Little's law",
  decides: 'how many requests are in flight, and so how much memory they hold',
  is: 'arrivalRate * latency',
  source: LITTLE,
  validity: 'a stable system over a long time; any distribution, any order of service',
  inputs: { arrivalRate: one('1/s'), latency: one('s'), memoryPerRequest: maybe('B') },
  output: 'concurrency',
  unit: '1',
  of: ({ arrivalRate, latency }) => arrivalRate * latency,
  also: {
    memory: {
      unit: 'B',
      is: 'concurrency * memoryPerRequest',
      of: ({ memoryPerRequest = Number.NaN }, concurrency) => concurrency * memoryPerRequest,
    },
  },
})

export const littleRate = law({
  id: 'queueing/little-rate',
  name: "Little's law for the rate",
  decides: 'what rate a limit of concurrency admits',
  is: 'concurrency / latency',
  source: LITTLE,
  validity: 'a stable system with every slot in use',
  inputs: { concurrency: one('1'), latency: one('s') },
  output: 'arrivalRate',
  unit: '1/s',
  of: ({ concurrency, latency }) => concurrency / latency,
})

export const serverUtilization = law({
  id: 'queueing/utilization',
  name: 'Utilization of a server',
  decides: 'whether a server keeps up at all',
  is: 'arrivalRate * serviceTime / batch',
  source: vol2.inferenceAtScale,
  validity: 'mean rates; at 1 and above the queue grows without bound',
  inputs: { arrivalRate: one('1/s'), serviceTime: one('s'), batch: countOr(1) },
  output: 'utilization',
  unit: '1',
  of: ({ arrivalRate, serviceTime, batch = 1 }) => (arrivalRate * serviceTime) / batch,
})

export const queueDrain = law({
  id: 'queueing/queue-drain',
  name: 'Wait behind a queue',
  decides: 'what a request admitted now will wait',
  is: 'queued * serviceTime / workers',
  source: vol1.modelServing,
  validity: 'workers all busy, first come first served',
  inputs: { queued: one('1'), serviceTime: one('s'), workers: count },
  output: 'wait',
  unit: 's',
  of: ({ queued, serviceTime, workers }) => (queued * serviceTime) / workers,
})

// The chapter multiplies milliseconds by workers and calls the product requests, ten times too many at 10 ms.
export const queueLimit = law({
  id: 'queueing/queue-limit',
  name: 'Longest queue within a target wait',
  decides: 'at which queue length to shed load',
  is: 'targetWait * workers / serviceTime',
  source: vol1.modelServing,
  validity: 'workers all busy, first come first served',
  inputs: { targetWait: one('s'), workers: count, serviceTime: one('s') },
  output: 'queueLimit',
  unit: '1',
  of: ({ targetWait, workers, serviceTime }) => (targetWait * workers) / serviceTime,
})
