// The decode step reads every weight and every cached key and value once per token: bandwidth sets its pace.

import { count, countOr, law, maybe, one, or, share } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'
import { tolerantFloor } from '../whole.ts'

const POPE = 'R. Pope et al., Efficiently Scaling Transformer Inference, MLSys 2023'

export const decodeBandwidthBound = law({
  id: 'decoding/bandwidth-bound',
  name: 'Bandwidth floor of a token',
  decides: 'the fastest a model can decode at batch 1',
  is: 'weightBytes / memoryBandwidth',
  source: vol1.modelServing,
  validity: 'batch 1 and a short context; weightBytes of one device where the weights are sharded; software overhead not counted',
  inputs: { weightBytes: one('B'), memoryBandwidth: one('B/s') },
  output: 'tokenTime',
  unit: 's',
  of: ({ weightBytes, memoryBandwidth }) => weightBytes / memoryBandwidth,
  also: { tokenRate: { unit: 'token/s', is: '1 / tokenTime', of: (_, tokenTime) => 1 / tokenTime } },
})

export const decodeStepTime = law({
  id: 'decoding/step-time-with-kv',
  name: 'Time of a decode step with its cache',
  decides: 'how far a batch may grow before the cache reads break the token latency',
  is: '(weightBytes + batch * contextTokens * bytesPerToken) / memoryBandwidth',
  source: POPE,
  validity: 'memory bound: the batch below the ridge of the device; mean context of the sequences in flight',
  inputs: { weightBytes: one('B'), batch: countOr(1), contextTokens: one('token'), bytesPerToken: one('B'), memoryBandwidth: one('B/s') },
  output: 'stepTime',
  unit: 's',
  of: ({ weightBytes, batch = 1, contextTokens, bytesPerToken, memoryBandwidth }) =>
    (weightBytes + batch * contextTokens * bytesPerToken) / memoryBandwidth,
  also: {
    kvBytes: {
      unit: 'B',
      is: 'batch * contextTokens * bytesPerToken',
      of: ({ batch = 1, contextTokens, bytesPerToken }) => batch * contextTokens * bytesPerToken,
    },
    tokenRate: { unit: 'token/s', is: 'batch / stepTime', of: ({ batch = 1 }, stepTime) => batch / stepTime },
  },
})

export const decodeBatchForLatency = law({
  id: 'decoding/batch-for-latency',
  name: 'Largest decode batch within a token latency',
  decides: 'how many sequences may decode together under a latency target',
  is: 'floor(max(0, tokenTime * memoryBandwidth - weightBytes) / (contextTokens * bytesPerToken))',
  source: `${POPE}: the memory-bound step solved for the batch`,
  validity: 'memory bound; mean context of the sequences in flight; bandwidth as achieved, not as printed',
  inputs: { tokenTime: one('s'), weightBytes: one('B'), contextTokens: one('token'), bytesPerToken: one('B'), memoryBandwidth: one('B/s') },
  output: 'batch',
  unit: '1',
  of: ({ tokenTime, weightBytes, contextTokens, bytesPerToken, memoryBandwidth }) =>
    tolerantFloor(Math.max(0, tokenTime * memoryBandwidth - weightBytes) / (contextTokens * bytesPerToken)),
})

export const decodeTokenRate = law({
  id: 'decoding/token-rate',
  name: 'Token rate of a batch',
  decides: 'what a replica decodes in total at a latency per token',
  is: 'batch / interTokenLatency',
  source: vol2.performanceEngineering,
  validity: 'every sequence of the batch gets one token per step',
  inputs: { batch: one('token'), interTokenLatency: one('s') },
  output: 'tokenRate',
  unit: 'token/s',
  of: ({ batch, interTokenLatency }) => batch / interTokenLatency,
})

export const generationTime = law({
  id: 'decoding/response-time',
  name: 'Time of a whole answer',
  decides: 'how long a reader waits for the last token',
  is: 'ttft + (tokens - 1) * max(tokenTime, 1 / tokenRate)',
  source: vol1.benchmarking,
  validity:
    'constant pace; give the time per token or the rate, the slower of the two counts; without ttft the first token keeps the pace of the others',
  holds: ({ tokenTime = 0, tokenRate = Infinity }) => tokenTime > 0 || tokenRate < Infinity,
  inputs: { tokens: one('token'), tokenTime: or('s', 0), tokenRate: or('token/s', Infinity), ttft: maybe('s') },
  output: 'time',
  unit: 's',
  of: ({ tokens, tokenTime = 0, tokenRate = Infinity, ttft }) => {
    const pace = Math.max(tokenTime, 1 / tokenRate)
    return (ttft ?? pace) + (tokens - 1) * pace
  },
})

export const prefillChunk = law({
  id: 'decoding/prefill-chunk',
  name: 'Prefill chunk that fits one decode step',
  decides: 'how many prompt tokens may run beside the decoding without stalling it',
  is: 'prefillRate * iterationTime',
  source: 'A. Agrawal et al., Taming Throughput-Latency Tradeoff in LLM Inference with Sarathi-Serve, OSDI 2024',
  validity: 'prefill rate steady over the chunk; attention over the earlier chunks not counted',
  inputs: { prefillRate: one('token/s'), iterationTime: one('s') },
  output: 'chunkTokens',
  unit: 'token',
  of: ({ prefillRate, iterationTime }) => prefillRate * iterationTime,
})

export const moeFloor = law({
  id: 'decoding/moe-floor',
  name: 'Bandwidth floor of a token in a mixture of experts',
  decides: 'the fastest a mixture of experts can decode on a number of devices',
  is: 'activeParams * bytesPerParam / (devices * memoryBandwidth) + allToAllTime',
  source: vol2.inferenceAtScale,
  validity: 'batch 1, active experts spread evenly over the devices; a batch reads more experts, see decoding/moe-experts-read',
  inputs: { activeParams: one('1'), bytesPerParam: one('B'), devices: count, memoryBandwidth: one('B/s'), allToAllTime: or('s', 0) },
  output: 'tokenTime',
  unit: 's',
  of: ({ activeParams, bytesPerParam, devices, memoryBandwidth, allToAllTime = 0 }) =>
    (activeParams * bytesPerParam) / (devices * memoryBandwidth) + allToAllTime,
  also: {
    readTime: {
      unit: 's',
      is: 'activeParams * bytesPerParam / (devices * memoryBandwidth)',
      of: ({ activeParams, bytesPerParam, devices, memoryBandwidth }) => (activeParams * bytesPerParam) / (devices * memoryBandwidth),
    },
    tokenRate: { unit: 'token/s', is: '1 / tokenTime', of: (_, tokenTime) => 1 / tokenTime },
  },
})

export const denseVersusMoeBytes = law({
  id: 'decoding/dense-vs-moe-bytes',
  name: 'Weight traffic of a dense model against a mixture of experts',
  decides: 'how much bandwidth sparse activation saves per token',
  is: 'denseBytes / activeBytes',
  source: vol2.inferenceAtScale,
  validity: 'batch 1; the gain shrinks as a batch touches more experts',
  inputs: { denseParams: one('1'), activeParams: one('1'), bytesPerParam: one('B') },
  output: 'ratio',
  unit: '1',
  of: ({ denseParams, activeParams }) => denseParams / activeParams,
  also: {
    denseBytes: { unit: 'B', is: 'denseParams * bytesPerParam', of: ({ denseParams, bytesPerParam }) => denseParams * bytesPerParam },
    activeBytes: { unit: 'B', is: 'activeParams * bytesPerParam', of: ({ activeParams, bytesPerParam }) => activeParams * bytesPerParam },
  },
})

export const moeExpertsRead = law({
  id: 'decoding/moe-experts-read',
  name: 'Experts that a batch touches',
  decides: 'how many experts a decode step reads, and so when a mixture of experts stops being cheap to read',
  is: 'experts * (1 - (1 - expertsPerToken / experts)^tokens)',
  source: 'the occupancy problem: W. Feller, An Introduction to Probability Theory and Its Applications, vol. 1',
  validity: 'tokens routed independently and evenly; skewed routing touches fewer',
  holds: ({ experts, expertsPerToken }) => expertsPerToken <= experts,
  inputs: { experts: count, expertsPerToken: count, tokens: one('token') },
  output: 'expertsRead',
  unit: '1',
  of: ({ experts, expertsPerToken, tokens }) => experts * (1 - (1 - expertsPerToken / experts) ** tokens),
  also: { readShare: { unit: '1', is: 'expertsRead / experts', of: ({ experts }, expertsRead) => expertsRead / experts } },
})

export const cachedAttentionTime = law({
  id: 'decoding/cached-attention-time',
  name: 'Attention of one new token over its cache',
  decides: 'how much a long context or a smaller cache format changes the time per token',
  is: '(cacheBytes + queryBytes) / (memoryBandwidth * memoryShare) + rampTime * (1 - exp(-1 * cacheBytes / rampBytes))',
  source: 'fitted to published kernel tables of FlashInfer, FlashAttention and TensorRT-LLM, one set of coefficients per device',
  validity: 'memory holds it: one query per sequence reads keys and values once; rampTime is lost while the memory system fills',
  inputs: {
    cacheBytes: one('B'),
    queryBytes: or('B', 0),
    memoryBandwidth: one('B/s'),
    memoryShare: share,
    rampTime: one('s'),
    rampBytes: one('B'),
  },
  output: 'time',
  unit: 's',
  of: ({ cacheBytes, queryBytes = 0, memoryBandwidth, memoryShare, rampTime, rampBytes }) =>
    (cacheBytes + queryBytes) / (memoryBandwidth * memoryShare) + rampTime * (1 - Math.exp(-cacheBytes / rampBytes)),
})
