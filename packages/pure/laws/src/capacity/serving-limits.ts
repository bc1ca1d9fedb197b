// Which resource caps the rate of a generating replica: its memory, its prefill or its decoding.

import { HOUR } from '@ironlaw/units'
import { composite, law, maybe, one } from '../law.ts'
import { kvMaxBatch } from '../kv-cache/pool.ts'
import { littleRate } from '../queueing/little.ts'
import { vol1 } from '../sources.ts'
import { tolerantFloor } from '../whole.ts'

export const memoryCappedRate = composite({
  id: 'capacity/memory-capped-rate',
  name: 'Rate that memory admits',
  decides: 'whether memory or compute limits a device',
  is: 'floor(deviceMemory / memoryPerRequest) / latency',
  source: vol1.machineFoundations,
  validity: 'every request holds its memory for its whole latency; deviceMemory is what the weights leave',
  inputs: { deviceMemory: one('B'), memoryPerRequest: one('B'), latency: one('s') },
  output: 'arrivalRate',
  unit: '1/s',
  via: ({ deviceMemory, memoryPerRequest, latency }, apply) =>
    apply(littleRate, { concurrency: apply(kvMaxBatch, { totalMemory: deviceMemory, kvPerRequest: memoryPerRequest }), latency }),
  also: {
    concurrency: {
      unit: '1',
      is: 'floor(deviceMemory / memoryPerRequest)',
      of: ({ deviceMemory, memoryPerRequest }) => tolerantFloor(deviceMemory / memoryPerRequest),
    },
  },
})

// The chapter divides the price by the decode capacity, which its own prefill limit does not let it reach: 4 times too cheap.
export const prefillCapped = law({
  id: 'capacity/prefill-capped',
  name: 'Rate that prefill admits',
  decides: 'what long prompts leave of a replica, and what a million tokens then cost',
  is: 'prefillRate / promptTokens',
  source: vol1.modelServing,
  validity: 'prefill, not decoding or memory, is the limit',
  inputs: {
    prefillRate: one('token/s'),
    promptTokens: one('token'),
    tokensPerRequest: one('token'),
    hourlyPrice: one('USD/s'),
  },
  output: 'requestRate',
  unit: '1/s',
  of: ({ prefillRate, promptTokens }) => prefillRate / promptTokens,
  also: {
    tokensPerHour: {
      unit: 'token',
      is: 'requestRate * tokensPerRequest * hour',
      of: ({ tokensPerRequest }, requestRate) => requestRate * tokensPerRequest * HOUR,
    },
    costPerMillion: {
      unit: 'USD',
      is: '1e6 * hourlyPrice / (requestRate * tokensPerRequest)',
      of: ({ tokensPerRequest, hourlyPrice }, requestRate) => (1e6 * hourlyPrice) / (requestRate * tokensPerRequest),
    },
  },
})

export const servingTokens = law({
  id: 'capacity/serving-tokens',
  name: 'Tokens that a number of slots serves',
  decides: 'what a replica delivers, and which prefill rate that presumes',
  is: 'concurrency / requestTime',
  source: vol1.modelServing,
  validity: 'every slot always in use; holds only where the prefill rate it needs is available',
  inputs: { concurrency: one('1'), requestTime: one('s'), tokensPerRequest: one('token'), promptTokens: maybe('token') },
  output: 'requestRate',
  unit: '1/s',
  of: ({ concurrency, requestTime }) => concurrency / requestTime,
  also: {
    tokenRate: {
      unit: 'token/s',
      is: 'requestRate * tokensPerRequest',
      of: ({ tokensPerRequest }, requestRate) => requestRate * tokensPerRequest,
    },
    prefillRate: {
      unit: 'token/s',
      is: 'requestRate * promptTokens',
      of: ({ promptTokens = Number.NaN }, requestRate) => requestRate * promptTokens,
    },
    tokensPerHour: {
      unit: 'token',
      is: 'requestRate * tokensPerRequest * hour',
      of: ({ tokensPerRequest }, requestRate) => requestRate * tokensPerRequest * HOUR,
    },
  },
})
