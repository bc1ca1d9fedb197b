// A serving plan: which devices, in what shape, for which traffic and objectives, with the prediction. Named by its content like a
// training plan. Bare numbers end in their unit. The only declaration, read through the schema wherever a plan comes from outside. A
// separate entry point, as everything that loads zod.

import * as z from 'zod'
import { CAPACITY } from './capacity.ts'
import { CACHE_PRECISIONS } from './serving-precision.ts'
import { ENGINE_STEP_CAUSES } from './step-cause.ts'

export const ADAPTER_TARGETS = ['attention', 'mlp'] as const

export const SPECULATION_METHODS = ['mtp', 'eagle', 'eagle3', 'draft', 'ngram'] as const

const count = z.int().positive()
const amount = z.number().nonnegative()
const share = z.number().min(0).max(1)
const time = z.number().positive()

/** How one replica is divided over its devices. */
const LAYOUT = z
  .object({
    /** Ranks that divide each attention layer and each dense block. */
    tensor: count,
    /** Pipeline stages. */
    pipeline: count,
    /** Copies of the attention, each for its own requests, that share the experts (attention data parallelism). */
    data: count,
    /** Ranks among which whole experts are dealt out; within tensor x data, the rest divides each expert. */
    expert: count,
  })
  .readonly()

const POOL = z
  .object({
    role: z.enum(['all', 'prefill', 'decode']),
    replicas: count,
    layout: LAYOUT,
    devicesPerReplica: count,
    experts: z
      .object({
        count: count.describe('Experts of a layer'),
        redundant: z.int().nonnegative().describe('Copies of experts that fill the places left over'),
        imbalance: z.number().min(1).describe('Tokens of the fullest rank against the mean, as priced'),
        exchange: z.enum(['gather', 'all-to-all']).describe('How tokens reach their experts, as priced'),
      })
      .readonly()
      .exactOptional()
      .describe('Where copies of the attention share the experts'),
    tiers: z
      .object({ cached: share, device: share, host: share, drive: share, load_s: amount })
      .readonly()
      .exactOptional()
      .describe('Where prompts that come back are found, and how long reading takes from outside the device'),
    capacities: z
      .array(CAPACITY)
      .readonly()
      .exactOptional()
      .describe('How full each resource of a device is when a replica is at its limit'),
  })
  .readonly()
  .describe('One pool of equal replicas')

const QUALITY = z
  .object({
    rule: z
      .object({ suite: z.string(), margin: share, reference: z.string() })
      .readonly()
      .exactOptional()
      .describe('That the precision was held to; any precision was allowed when left out'),
    measured: z
      .array(
        z
          .object({
            suite: z.string(),
            reference: z.string().describe('Precision that the drop is against'),
            items: count,
            drop: z.number().describe('Score of the reference minus that of the precision'),
            low: z.number(),
            high: z.number(),
            source: z.string(),
          })
          .readonly(),
      )
      .readonly()
      .describe('Drops on every suite on which the precision was measured, with their 90 % intervals'),
  })
  .readonly()

const PREDICTION = z
  .object({
    ttft_s: time.describe('Under the traffic asked for, without the spares, simulated; at the client'),
    ttft_low_s: time.exactOptional(),
    ttft_high_s: time.exactOptional(),
    tpot_s: amount.describe('Under the traffic asked for, without the spares, simulated; 0 where answers have one token'),
    tpot_low_s: amount,
    tpot_high_s: amount,
    client_s: amount.exactOptional().describe('Part of ttft_s that passes outside the engine: HTTP, tokenizer, client'),
    probability: z.number().min(0).max(1).exactOptional().describe('That the objectives hold'),
    attained: z.number().min(0).max(1).exactOptional().describe('Share of requests within both objectives, if the prediction is right'),
    replica_requests_per_s: amount.describe('Of one replica within the objectives'),
    capacity_requests_per_s: amount.describe('Of the deployment within the objectives, without its spares'),
    ttft_at_capacity_s: time.exactOptional(),
    tpot_at_capacity_s: amount.exactOptional(),
    unmeasured: z
      .literal(true)
      .exactOptional()
      .describe('No kernel measurements of the accelerator: the curve of another one, scaled by its peaks, with wider intervals'),
    output_tokens_per_s_per_device: amount,
    decoding: amount,
    memoryBandwidthUtilization: amount,
    flopsUtilization: amount.describe('Prompts and tokens together, of the arithmetic of the fastest precision in use'),
    weights_bytes: amount,
    cache_tokens: amount,
    binding: z.enum(['ttft', 'tpot', 'memory', 'compute', 'network']).describe('What limits a replica'),
    usd_per_hour: amount.exactOptional(),
    usd_per_million_tokens: amount.exactOptional().describe('Of output tokens'),
    joules_per_token: amount,
    step_s: z.partialRecord(z.enum(ENGINE_STEP_CAUSES), amount).readonly().describe('One decode step by cause'),
  })
  .readonly()

export const SERVING_PLAN = z
  .object({
    apiVersion: z.literal('ironlaw/v1'),
    kind: z.literal('ServingPlan'),
    id: z.string(),
    name: z.string(),
    model: z
      .object({
        name: z.string(),
        longestContext: count.exactOptional(),
        predictionLayers: z
          .int()
          .nonnegative()
          .exactOptional()
          .describe('Layers that predict further tokens (MTP), where the plan speculates'),
      })
      .readonly(),
    engine: z.string(),
    accelerator: z.string(),
    devicesPerNode: count.describe('On one host; fast links may join several'),
    precision: z.string(),
    cache: z.enum(CACHE_PRECISIONS),
    quality: QUALITY.exactOptional().describe('What is known of the quality of the precision; nothing when left out'),
    speculation: z
      .object({
        method: z
          .enum(SPECULATION_METHODS)
          .describe(
            'Who proposes: layers of the model (mtp), a head on it (eagle, eagle3), a model of its own, or n-grams of the text so far',
          ),
        drafted: amount,
        acceptance: z.number().min(0).max(1),
        model: z.string().exactOptional().describe('The model that drafts'),
      })
      .readonly()
      .exactOptional()
      .describe('Tokens proposed per step and the chance that one is kept; plain decoding when left out'),
    adapters: z
      .object({
        count: count.describe('Adapters that are served'),
        rank: count,
        targets: z.array(z.enum(ADAPTER_TARGETS)).min(1).readonly(),
        activePerBatch: count.describe('Adapters on the device at once, and so in one batch'),
      })
      .readonly()
      .exactOptional()
      .describe('Low-rank adapters on the model; none when left out'),
    offload: z
      .object({ host_bytes: amount, drive_bytes: amount, reuseAfter_s: time })
      .readonly()
      .exactOptional()
      .describe('Memory of the host and of its drive, of each device, for keys and values of prompts that come back'),
    pools: z.array(POOL).min(1).readonly(),
    devices: count,
    spare: amount.describe('Replicas beyond those that carry the peak, of every pool'),
    traffic: z
      .object({ requests_per_s: amount, input_tokens: amount, output_tokens: amount, cachedPrompt: z.number().min(0).max(1) })
      .readonly(),
    objectives: z
      .object({
        ttft_s: time,
        tpot_s: time,
        percentile: z.enum(['mean', 'p50', 'p90', 'p99']),
        probability: z.number().min(0).max(1).exactOptional().describe('That both are to hold with'),
      })
      .readonly(),
    prediction: PREDICTION,
  })
  .readonly()
  .meta({ id: 'ServingPlan' })

export type ServingLayout = z.infer<typeof LAYOUT>
export type ServingPool = z.infer<typeof POOL>
export type ServingPlan = z.infer<typeof SERVING_PLAN>
