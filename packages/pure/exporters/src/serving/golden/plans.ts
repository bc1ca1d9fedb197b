// Plans whose exported texts are kept next to this file: one device per replica, prefill and decoding on separate replicas, a replica over
// a rack, one over two nodes.

import type { ServingPlan } from '@ironlaw/contracts'

const CHAT: Omit<ServingPlan, 'id'> = {
  apiVersion: 'ironlaw/v1',
  kind: 'ServingPlan',
  name: 'Chat, weekdays',
  model: { name: 'meta-llama/Llama-3.1-8B', longestContext: 131_072 },
  engine: 'vllm',
  accelerator: 'h100-sxm',
  devicesPerNode: 8,
  precision: 'fp8',
  cache: 'fp8',
  pools: [{ role: 'all', replicas: 4, layout: { tensor: 1, pipeline: 1, data: 1, expert: 1 }, devicesPerReplica: 1 }],
  devices: 4,
  spare: 1,
  traffic: { requests_per_s: 40, input_tokens: 1000, output_tokens: 250, cachedPrompt: 0.3 },
  objectives: { ttft_s: 0.5, tpot_s: 0.03, percentile: 'p90' },
  prediction: {
    ttft_s: 0.21,
    tpot_s: 0.028,
    tpot_low_s: 0.022,
    tpot_high_s: 0.036,
    replica_requests_per_s: 14.2,
    capacity_requests_per_s: 42.6,
    output_tokens_per_s_per_device: 2500,
    decoding: 100,
    memoryBandwidthUtilization: 0.5,
    flopsUtilization: 0.1,
    weights_bytes: 9e9,
    cache_tokens: 800_000,
    binding: 'tpot',
    joules_per_token: 0.4,
    step_s: {},
  },
}

export const PLANS: Readonly<Record<string, Omit<ServingPlan, 'id'>>> = {
  chat: CHAT,
  parted: {
    ...CHAT,
    name: 'parted',
    model: { name: 'deepseek-ai/DeepSeek-R1', longestContext: 163_840 },
    engine: 'sglang',
    accelerator: 'h200-sxm',
    precision: 'fp8-block',
    cache: 'bf16',
    traffic: { ...CHAT.traffic, cachedPrompt: 0 },
    pools: [
      { role: 'prefill', replicas: 3, layout: { tensor: 8, pipeline: 1, data: 1, expert: 8 }, devicesPerReplica: 8 },
      { role: 'decode', replicas: 2, layout: { tensor: 1, pipeline: 1, data: 8, expert: 8 }, devicesPerReplica: 8 },
    ],
    devices: 40,
  },
  rack: {
    ...CHAT,
    name: 'rack',
    model: { name: 'deepseek-ai/DeepSeek-R1', longestContext: 163_840 },
    accelerator: 'gb200',
    devicesPerNode: 4,
    precision: 'nvfp4-experts',
    pools: [
      {
        role: 'all',
        replicas: 2,
        layout: { tensor: 1, pipeline: 1, data: 72, expert: 72 },
        devicesPerReplica: 72,
        experts: { count: 256, redundant: 32, imbalance: 1.74, exchange: 'all-to-all' },
      },
    ],
    devices: 144,
  },
  'two-nodes': {
    ...CHAT,
    name: 'two-nodes',
    model: { name: 'meta-llama/Llama-3.1-405B', longestContext: 131_072 },
    precision: 'bf16',
    pools: [{ role: 'all', replicas: 2, layout: { tensor: 8, pipeline: 2, data: 1, expert: 1 }, devicesPerReplica: 16 }],
    devices: 32,
  },
}
