import { count, law, maybe, one, or } from '../law.ts'
import { PAGED, vol1, vol2 } from '../sources.ts'
import { tolerantFloor } from '../whole.ts'

export const kvMaxBatch = law({
  id: 'kv-cache/max-batch',
  name: 'Sequences that fit beside the weights',
  decides: 'how many requests a replica can hold at once',
  is: 'floor((totalMemory - weightBytes - reserved) / kvPerRequest)',
  source: vol2.inferenceAtScale,
  validity: 'memory, not compute, limits the batch; kvPerRequest is for the full context; sharded evenly over the devices',
  holds: ({ totalMemory, weightBytes = 0, reserved = 0 }) => totalMemory > weightBytes + reserved,
  inputs: { totalMemory: one('B'), weightBytes: or('B', 0), reserved: or('B', 0), kvPerRequest: one('B') },
  output: 'maxBatch',
  unit: '1',
  of: ({ totalMemory, weightBytes = 0, reserved = 0, kvPerRequest }) =>
    tolerantFloor((totalMemory - weightBytes - reserved) / kvPerRequest),
})

export const kvConcurrency = law({
  id: 'kv-cache/concurrency',
  name: 'Requests that a cache pool holds',
  decides: 'how many requests may be admitted',
  is: 'floor(freeMemory / (bytesPerToken * tokensPerRequest))',
  source: vol1.modelServing,
  validity: 'requests of equal length, counted at their final length; no fragmentation',
  inputs: { freeMemory: one('B'), bytesPerToken: one('B'), tokensPerRequest: one('token') },
  output: 'requests',
  unit: '1',
  of: ({ freeMemory, bytesPerToken, tokensPerRequest }) => tolerantFloor(freeMemory / (bytesPerToken * tokensPerRequest)),
  also: {
    tokenCapacity: { unit: 'token', is: 'freeMemory / bytesPerToken', of: ({ freeMemory, bytesPerToken }) => freeMemory / bytesPerToken },
  },
})

export const reservationWaste = law({
  id: 'kv-cache/reservation-waste',
  name: 'Cache wasted by reserving the longest context',
  decides: 'whether to page the cache instead of reserving it',
  is: '1 - meanLength / maxLength',
  source: PAGED,
  validity: 'every request reserves the maximal length for its whole life',
  holds: ({ meanLength, maxLength }) => meanLength <= maxLength,
  inputs: { meanLength: one('token'), maxLength: one('token') },
  output: 'waste',
  unit: '1',
  of: ({ meanLength, maxLength }) => 1 - meanLength / maxLength,
})

export const pagedWaste = law({
  id: 'kv-cache/paged-waste',
  name: 'Cache wasted in the last block of a sequence',
  decides: 'how large a cache block may be',
  is: 'wastedTokens / (meanLength + wastedTokens)',
  source: PAGED,
  validity: 'sequence lengths spread evenly over the block; nothing shared',
  inputs: { meanLength: one('token'), blockTokens: one('token', { least: 1 }) },
  output: 'waste',
  unit: '1',
  of: ({ meanLength, blockTokens }) => (blockTokens - 1) / 2 / (meanLength + (blockTokens - 1) / 2),
  also: {
    wastedTokens: { unit: 'token', is: '(blockTokens - 1) / 2', of: ({ blockTokens }) => (blockTokens - 1) / 2 },
  },
})

export const prefixSharing = law({
  id: 'kv-cache/prefix-sharing',
  name: 'Cache saved by sharing a common prompt',
  decides: 'whether a shared system prompt should be cached once',
  is: '1 - shared / unshared',
  source: vol2.inferenceAtScale,
  validity: 'all users share exactly the same first tokens and are in flight together',
  inputs: { users: count, prefixTokens: one('token'), suffixTokens: one('token'), bytesPerToken: one('B') },
  output: 'saving',
  unit: '1',
  of: ({ users, prefixTokens, suffixTokens }) => 1 - (prefixTokens + users * suffixTokens) / (users * (prefixTokens + suffixTokens)),
  also: {
    unshared: {
      unit: 'B',
      is: 'users * (prefixTokens + suffixTokens) * bytesPerToken',
      of: ({ users, prefixTokens, suffixTokens, bytesPerToken }) => users * (prefixTokens + suffixTokens) * bytesPerToken,
    },
    shared: {
      unit: 'B',
      is: '(prefixTokens + users * suffixTokens) * bytesPerToken',
      of: ({ users, prefixTokens, suffixTokens, bytesPerToken }) => (prefixTokens + users * suffixTokens) * bytesPerToken,
    },
  },
})

export const noisyTenant = law({
  id: 'kv-cache/noisy-tenant',
  name: 'Capacity left to the others by one greedy tenant',
  decides: 'whether cache memory needs a quota for each tenant',
  is: '1 - (pool - hogUsage) / (tenants - 1) / (pool / tenants)',
  source: vol2.inferenceAtScale,
  validity: 'equal tenants share one pool without quotas; sequences scale with memory',
  holds: ({ pool, hogUsage }) => hogUsage <= pool,
  inputs: { pool: one('B'), tenants: one('1', { least: 2 }), hogUsage: one('B'), sequencesPerTenant: one('1') },
  output: 'reduction',
  unit: '1',
  of: ({ pool, tenants, hogUsage }) => 1 - (pool - hogUsage) / (tenants - 1) / (pool / tenants),
  also: {
    remainingSequences: {
      unit: '1',
      is: 'sequencesPerTenant * (1 - reduction)',
      of: ({ sequencesPerTenant }, reduction) => sequencesPerTenant * (1 - reduction),
    },
  },
})

export const moveOrRecompute = law({
  id: 'kv-cache/move-or-recompute',
  name: 'Bandwidth above which moving a cache beats recomputing it',
  decides: 'whether to transfer a cache to another replica or to run the prompt again',
  is: 'bytesPerToken * prefillRate',
  source: `${vol2.inferenceAtScale}: transfer when the cache arrives before a prefill would end`,
  validity: 'transfer and prefill both linear in the tokens, so their number cancels; the link carries nothing else',
  inputs: { bytesPerToken: one('B'), prefillRate: one('token/s'), linkBandwidth: one('B/s'), tokens: maybe('token') },
  output: 'breakEvenBandwidth',
  unit: 'B/s',
  of: ({ bytesPerToken, prefillRate }) => bytesPerToken * prefillRate,
  also: {
    moveTime: {
      unit: 's',
      is: 'bytesPerToken * tokens / linkBandwidth',
      of: ({ bytesPerToken, tokens = Number.NaN, linkBandwidth }) => (bytesPerToken * tokens) / linkBandwidth,
    },
    recomputeTime: { unit: 's', is: 'tokens / prefillRate', of: ({ tokens = Number.NaN, prefillRate }) => tokens / prefillRate },
  },
})
