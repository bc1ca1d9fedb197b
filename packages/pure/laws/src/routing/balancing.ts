import { count, law, one } from '../law.ts'
import { vol2 } from '../sources.ts'

export const equalShare = law({
  id: 'routing/equal-share',
  name: 'Load of a server under equal shares',
  decides: 'whether round robin overloads the slower servers of a mixed pool',
  is: 'requestRate / servers',
  source: vol2.inferenceAtScale,
  validity: 'every server gets the same number of requests, whatever it can carry',
  inputs: { requestRate: one('1/s'), servers: count, serverCapacity: one('1/s') },
  output: 'serverRate',
  unit: '1/s',
  of: ({ requestRate, servers }) => requestRate / servers,
  also: {
    utilization: { unit: '1', is: 'serverRate / serverCapacity', of: ({ serverCapacity }, serverRate) => serverRate / serverCapacity },
  },
})

export const weightedShare = law({
  id: 'routing/weighted-share',
  name: 'Load of a server under weights',
  decides: 'which weights load a mixed pool evenly',
  is: 'requestRate * serverCapacity / totalCapacity',
  source: vol2.inferenceAtScale,
  validity: 'weights in proportion to measured capacity: every server then has the same utilization',
  holds: ({ serverCapacity, totalCapacity }) => serverCapacity <= totalCapacity,
  inputs: { requestRate: one('1/s'), serverCapacity: one('1/s'), totalCapacity: one('1/s') },
  output: 'serverRate',
  unit: '1/s',
  of: ({ requestRate, serverCapacity, totalCapacity }) => (requestRate * serverCapacity) / totalCapacity,
  also: {
    utilization: { unit: '1', is: 'serverRate / serverCapacity', of: ({ serverCapacity }, serverRate) => serverRate / serverCapacity },
  },
})

export const randomMaxLoad = law({
  id: 'routing/random-max-load',
  name: 'Longest queue under random routing',
  decides: 'whether random routing is good enough for a pool of this size',
  is: 'ln(servers) / ln(ln(servers))',
  source: 'M. Raab and A. Steger, Balls into Bins: A Simple and Tight Analysis, RANDOM 1998',
  validity: 'the order of growth, not the queue itself: as many requests as servers; more than 15 servers',
  holds: ({ servers }) => servers > LEAST_SERVERS,
  inputs: { servers: count },
  output: 'order',
  unit: '1',
  of: ({ servers }) => Math.log(servers) / Math.log(Math.log(servers)),
})

export const twoChoiceMaxLoad = law({
  id: 'routing/two-choice-max-load',
  name: 'Longest queue with two choices',
  decides: 'whether asking two servers for their queue is worth it',
  is: 'ln(ln(servers)) / ln(2)',
  source: 'Y. Azar, A. Z. Broder, A. R. Karlin and E. Upfal, Balanced Allocations, SIAM Journal on Computing 29(1), 1999',
  validity: 'up to a constant that does not grow with the pool: as many requests as servers; more than 15 servers',
  holds: ({ servers }) => servers > LEAST_SERVERS,
  inputs: { servers: count },
  output: 'order',
  unit: '1',
  of: ({ servers }) => Math.log(Math.log(servers)) / Math.LN2,
})

// Below e^e the iterated logarithm is under 1 and says nothing about a queue.
const LEAST_SERVERS = Math.E ** Math.E
