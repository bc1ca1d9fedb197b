// Several servers behind one queue. `utilization` is the load of each server, so the offered load is servers * utilization.

import { composite, count, law, one, share } from '../law.ts'
import { ALLEN } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

const ERLANG = 'A. K. Erlang, on problems of probability in automatic telephone exchanges, Elektroteknikeren 13, 1917'

export const erlangB = law({
  id: 'queueing/erlang-b',
  name: 'Erlang B: probability of being refused',
  decides: 'how many slots a service without a queue needs',
  is: 'text: B(0) = 1, B(k) = offeredLoad * B(k-1) / (k + offeredLoad * B(k-1)), up to k = servers',
  source: ERLANG,
  validity: 'Poisson arrivals, any service times, requests refused when every server is busy; a whole number of servers',
  holds: ({ servers }) => Number.isInteger(servers),
  inputs: { servers: count, offeredLoad: one('1') },
  output: 'probability',
  unit: '1',
  of: blockingProbability,
  also: {
    carriedLoad: {
      unit: '1',
      is: 'offeredLoad * (1 - probability)',
      of: ({ offeredLoad }, probability) => offeredLoad * (1 - probability),
    },
  },
})

export const erlangC = law({
  id: 'queueing/erlang-c',
  name: 'Erlang C: probability of waiting',
  decides: 'how many requests find every replica busy',
  is: 'text: B / (1 - utilization * (1 - B)), B the Erlang B probability of servers at an offered load of servers * utilization',
  source: ERLANG,
  validity: 'M/M/c: Poisson arrivals, exponential service times, one queue for all servers, below full load; a whole number of servers',
  holds: ({ servers, utilization }) => utilization < 1 && Number.isInteger(servers),
  inputs: { servers: count, utilization: share },
  output: 'probability',
  unit: '1',
  of: delayProbability,
})

export const meanWaitFromDelay = law({
  id: 'queueing/mean-wait-from-delay',
  name: 'Mean wait from the probability of waiting',
  decides: 'what the busy moments cost on average over all requests',
  is: 'probability * serviceTime / (servers * (1 - utilization))',
  source: ERLANG,
  validity: 'M/M/c: a request that waits does so for serviceTime / (servers * (1 - utilization)) on average; below full load',
  holds: ({ utilization }) => utilization < 1,
  inputs: { probability: share, servers: count, utilization: share, serviceTime: one('s') },
  output: 'wait',
  unit: 's',
  of: ({ probability, servers, utilization, serviceTime }) => (probability * serviceTime) / (servers * (1 - utilization)),
})

export const mmcWait = composite({
  id: 'queueing/mmc-wait',
  name: 'M/M/c mean wait',
  decides: 'how much waiting a pool of replicas causes',
  is: 'text: C * serviceTime / (servers * (1 - utilization)), C the Erlang C probability of waiting',
  source: ERLANG,
  validity: 'Poisson arrivals, exponential service times, one queue for all servers, below full load; a whole number of servers',
  holds: ({ servers, utilization }) => utilization < 1 && Number.isInteger(servers),
  inputs: { servers: count, utilization: share, serviceTime: one('s') },
  output: 'wait',
  unit: 's',
  via: ({ servers, utilization, serviceTime }, apply) =>
    apply(meanWaitFromDelay, { probability: apply(erlangC, { servers, utilization }), servers, utilization, serviceTime }),
  also: {
    timeInSystem: { unit: 's', is: 'wait + serviceTime', of: ({ serviceTime }, wait) => wait + serviceTime },
    queueLength: {
      unit: '1',
      is: 'wait * servers * utilization / serviceTime',
      of: ({ servers, utilization, serviceTime }, wait) => (wait * servers * utilization) / serviceTime,
    },
  },
})

export const mmcP99 = law({
  id: 'queueing/mmc-p99',
  name: 'M/M/c 99th percentile of the time in system',
  decides: 'how much tail latency one shared queue saves against a queue at each replica',
  is: 'text: x * serviceTime with exp(-x) * (1 + C/d * (1 - exp(-x*d))) = 0.01, d = servers*(1 - utilization) - 1, C of Erlang C',
  source: 'D. Gross and C. M. Harris, Fundamentals of Queueing Theory, Wiley: waiting times of the M/M/c queue',
  validity:
    'Poisson arrivals, exponential service times, first come first served from one queue, below full load; a whole number of servers',
  holds: ({ servers, utilization }) => utilization < 1 && Number.isInteger(servers),
  inputs: { servers: count, utilization: share, serviceTime: one('s') },
  output: 'p99',
  unit: 's',
  of: ({ servers, utilization, serviceTime }) => (utilization < 1 ? serviceTime * p99InServiceTimes({ servers, utilization }) : Infinity),
  also: {
    gainOverMm1: {
      unit: '1',
      is: 'ln(100) * serviceTime / (1 - utilization) / p99',
      of: ({ utilization, serviceTime }, p99) => (Math.log(100) * serviceTime) / (1 - utilization) / p99,
    },
  },
})

export const sakasegawa = law({
  id: 'queueing/ggm-wait',
  name: "Sakasegawa's approximation of the wait in a G/G/m queue",
  decides: 'how much waiting a pool of replicas causes under bursts and uneven requests',
  is: '(arrivalCv^2 + serviceCv^2) / 2 * utilization^(sqrt(2 * (servers + 1)) - 1) / (servers * (1 - utilization)) * serviceTime',
  source:
    'H. Sakasegawa, An approximation formula Lq = alpha rho^beta / (1 - rho), Annals of the Institute of Statistical Mathematics 29, 1977',
  validity: 'independent gaps and service times, one queue for all servers; best above half load; one server gives Kingman',
  holds: ({ utilization }) => utilization < 1,
  inputs: { servers: count, utilization: share, arrivalCv: one('1'), serviceCv: one('1'), serviceTime: one('s') },
  output: 'wait',
  unit: 's',
  of: ({ servers, utilization, arrivalCv, serviceCv, serviceTime }) =>
    (((arrivalCv * arrivalCv + serviceCv * serviceCv) / 2) * utilization ** (Math.sqrt(2 * (servers + 1)) - 1) * serviceTime) /
    (servers * (1 - utilization)),
})

export const variabilityFactor = law({
  id: 'queueing/variability-factor',
  name: 'Wait scaled by variability',
  decides: 'how much a wait grows when traffic is burstier than Poisson or requests more uneven than exponential',
  is: 'memorylessWait * (arrivalCv^2 + serviceCv^2) / 2',
  source: ALLEN,
  validity: 'independent gaps and service times; heavy load',
  inputs: { memorylessWait: one('s'), arrivalCv: one('1'), serviceCv: one('1') },
  output: 'wait',
  unit: 's',
  of: ({ memorylessWait, arrivalCv, serviceCv }) => (memorylessWait * (arrivalCv * arrivalCv + serviceCv * serviceCv)) / 2,
})

export const allenCunneen = composite({
  id: 'queueing/allen-cunneen',
  name: 'Allen-Cunneen approximation of the wait in a G/G/m queue',
  decides: 'how much waiting a pool of replicas causes under bursts and uneven requests, exact for M/M/c',
  is: 'text: the M/M/c mean wait times (arrivalCv^2 + serviceCv^2) / 2',
  source: ALLEN,
  validity: 'independent gaps and service times, one queue for all servers, below full load; a whole number of servers',
  holds: ({ servers, utilization }) => utilization < 1 && Number.isInteger(servers),
  inputs: { servers: count, utilization: share, arrivalCv: one('1'), serviceCv: one('1'), serviceTime: one('s') },
  output: 'wait',
  unit: 's',
  via: ({ servers, utilization, arrivalCv, serviceCv, serviceTime }, apply) =>
    apply(variabilityFactor, { memorylessWait: apply(mmcWait, { servers, utilization, serviceTime }), arrivalCv, serviceCv }),
})

export const squareRootStaffing = law({
  id: 'queueing/square-root-staffing',
  name: 'Square-root staffing',
  decides: 'how much headroom a large pool needs',
  is: 'ceil(arrivalRate * serviceTime + safety * sqrt(arrivalRate * serviceTime))',
  source: 'S. Halfin and W. Whitt, Heavy-Traffic Limits for Queues with Many Exponential Servers, Operations Research 29(3), 1981',
  validity: 'many servers behind one queue; safety about 0.5 to 2: at 1 some 22 percent of the requests wait',
  holds: ({ arrivalRate, serviceTime }) => arrivalRate * serviceTime >= 10,
  inputs: { arrivalRate: one('1/s'), serviceTime: one('s'), safety: one('1') },
  output: 'servers',
  unit: '1',
  of: ({ arrivalRate, serviceTime, safety }) => tolerantCeil(arrivalRate * serviceTime + safety * Math.sqrt(arrivalRate * serviceTime)),
})

export const serversForWait = law({
  id: 'queueing/servers-for-wait',
  name: 'Servers that hold a target mean wait',
  decides: 'how many replicas a waiting target needs',
  is: 'text: the least number of servers above arrivalRate * serviceTime whose M/M/c mean wait is at most targetWait',
  source: ERLANG,
  validity: 'Poisson arrivals, exponential service times, one queue for all servers; each server takes one request at a time',
  holds: ({ arrivalRate, serviceTime }) => arrivalRate * serviceTime <= LARGEST_LOAD,
  inputs: { arrivalRate: one('1/s'), serviceTime: one('s'), targetWait: one('s') },
  output: 'servers',
  unit: '1',
  of: ({ arrivalRate, serviceTime, targetWait }) =>
    leastServers({ offeredLoad: arrivalRate * serviceTime, targetInServiceTimes: targetWait / serviceTime }),
  also: {
    utilization: {
      unit: '1',
      is: 'arrivalRate * serviceTime / servers',
      of: ({ arrivalRate, serviceTime }, servers) => (arrivalRate * serviceTime) / servers,
    },
  },
})

// The recursion takes one step per server; beyond a million the fluid limit (as many servers as load) is exact for any purpose.
const LARGEST_LOAD = 1e6

type Pool = { readonly servers: number; readonly utilization: number }

function blockingProbability({ servers, offeredLoad }: { readonly servers: number; readonly offeredLoad: number }): number {
  let probability = 1
  for (let server = 1; server <= servers; server += 1) probability = (offeredLoad * probability) / (server + offeredLoad * probability)
  return probability
}

function delayProbability({ servers, utilization }: Pool): number {
  const probability = blockingProbability({ servers, offeredLoad: servers * utilization })
  return probability / (1 - utilization * (1 - probability))
}

// Where wait and service end at the same pace the formula is 0/0; this near to it the limit is the better number.
const NO_SPARE = 1e-7

function p99InServiceTimes({ servers, utilization }: Pool): number {
  const waiting = delayProbability({ servers, utilization })
  const spare = servers * (1 - utilization) - 1
  const overlap = (time: number): number =>
    Math.abs(spare) < NO_SPARE ? time * Math.exp(-time) : (Math.exp(-time) - Math.exp(-time * (1 + spare))) / spare
  const tail = (time: number): number => Math.exp(-time) + waiting * overlap(time)
  let low = 0
  let high = 1
  while (tail(high) > 0.01) high *= 2
  while (high - low > 1e-12 * high) {
    const middle = (low + high) / 2
    if (tail(middle) > 0.01) low = middle
    else high = middle
  }
  return high
}

type Target = { readonly offeredLoad: number; readonly targetInServiceTimes: number }

function leastServers({ offeredLoad, targetInServiceTimes }: Target): number {
  if (!(targetInServiceTimes >= 0)) return Infinity
  if (!(offeredLoad <= LARGEST_LOAD)) return Math.ceil(offeredLoad)
  let probability = 1
  for (let servers = 1; ; servers += 1) {
    probability = (offeredLoad * probability) / (servers + offeredLoad * probability)
    const spare = servers - offeredLoad
    if (spare > 0 && (probability * servers) / (spare + offeredLoad * probability) <= targetInServiceTimes * spare) return servers
  }
}
