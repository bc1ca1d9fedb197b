import { DAY } from '@ironlaw/units'
import { countOr, law, one, or } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

export const costPerRequests = law({
  id: 'cost/per-requests',
  name: 'Cost of a number of requests',
  decides: 'which instance serves a million requests most cheaply',
  is: 'hourlyPrice / throughput * requests',
  source: vol1.modelServing,
  validity: 'the throughput that is really sustained within the latency target; idle hours cost extra',
  inputs: { hourlyPrice: one('USD/s'), throughput: one('1/s'), requests: or('1', 1e6) },
  output: 'cost',
  unit: 'USD',
  of: ({ hourlyPrice, throughput, requests = 1e6 }) => (hourlyPrice / throughput) * requests,
})

export const costPerToken = law({
  id: 'cost/per-token',
  name: 'Bill at a price per million tokens',
  decides: 'whether to call an API or to serve a model oneself',
  is: 'queries * tokensPerQuery * pricePerMillionTokens / 1e6',
  source: vol2.computeInfrastructure,
  validity: 'one price for all tokens; input and output tokens usually have two',
  inputs: { queries: one('1'), tokensPerQuery: one('token'), pricePerMillionTokens: one('USD') },
  output: 'cost',
  unit: 'USD',
  of: ({ queries, tokensPerQuery, pricePerMillionTokens }) => (queries * tokensPerQuery * pricePerMillionTokens) / 1e6,
})

export const servingBill = law({
  id: 'cost/serving-bill',
  name: 'Serving bill from device time per request',
  decides: 'what traffic costs on own or rented devices, and what batching and utilization are worth',
  is: 'requests * serviceTime / (utilization * batch) * hourlyPrice',
  source: vol2.mlOperationsAtScale,
  validity: 'service time of a whole batch, divided by the requests in it; utilization is the share of paid time that serves',
  inputs: {
    requests: one('1'),
    serviceTime: one('s'),
    utilization: or('1', 1, { most: 1 }),
    batch: countOr(1),
    hourlyPrice: one('USD/s'),
  },
  output: 'cost',
  unit: 'USD',
  of: ({ requests, serviceTime, utilization = 1, batch = 1, hourlyPrice }) =>
    ((requests * serviceTime) / (utilization * batch)) * hourlyPrice,
  also: {
    deviceTime: {
      unit: 's',
      is: 'requests * serviceTime / (utilization * batch)',
      of: ({ requests, serviceTime, utilization = 1, batch = 1 }) => (requests * serviceTime) / (utilization * batch),
    },
  },
})

export const lifetimeServing = law({
  id: 'cost/lifetime',
  name: 'Serving cost over the life of a model',
  decides: 'whether to optimize training or serving',
  is: 'requestsPerDay * days * costPerRequest',
  source: vol2.inferenceAtScale,
  validity: 'constant traffic and cost per request',
  inputs: { trainingCost: one('USD'), requestsPerDay: one('1'), costPerRequest: one('USD'), days: one('1') },
  output: 'servingCost',
  unit: 'USD',
  of: ({ requestsPerDay, days, costPerRequest }) => requestsPerDay * days * costPerRequest,
  also: {
    requests: { unit: '1', is: 'requestsPerDay * days', of: ({ requestsPerDay, days }) => requestsPerDay * days },
    ratio: { unit: '1', is: 'servingCost / trainingCost', of: ({ trainingCost }, servingCost) => servingCost / trainingCost },
    crossover: {
      unit: 's',
      is: 'trainingCost / (requestsPerDay * costPerRequest) * day',
      of: ({ trainingCost, requestsPerDay, costPerRequest }) => (trainingCost / (requestsPerDay * costPerRequest)) * DAY,
    },
  },
})
