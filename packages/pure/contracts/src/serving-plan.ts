// A serving plan: which devices, in what shape, for which traffic and objectives, with the prediction. Named by its content like a
// training plan. Bare numbers end in their unit.

import { canonicalJson } from './canonical-json.ts'
import { sha256 } from './sha256.ts'

export type ServingLayout = { readonly tensor: number; readonly pipeline: number; readonly data: number; readonly expert: number }

/** One pool of equal replicas. */
export type ServingPool = {
  readonly role: 'all' | 'prefill' | 'decode'
  readonly replicas: number
  readonly layout: ServingLayout
  readonly devicesPerReplica: number
}

export type ServingPlan = {
  readonly apiVersion: 'ironlaw/v1'
  readonly kind: 'ServingPlan'
  readonly id: string
  readonly name: string
  readonly model: {
    readonly name: string
    readonly longestContext?: number
    /** Layers that predict further tokens (MTP), where the plan speculates with them. */
    readonly predictionLayers?: number
  }
  readonly engine: string
  readonly accelerator: string
  readonly devicesPerNode: number
  readonly precision: string
  readonly cache: 'bf16' | 'fp8' | 'int8'
  /** Tokens proposed per step and the chance that one is kept; plain decoding when left out. */
  readonly speculation?: { readonly drafted: number; readonly acceptance: number }
  readonly pools: readonly ServingPool[]
  readonly devices: number
  /** Replicas beyond what the peak needs, of every pool. */
  readonly spare: number
  readonly traffic: {
    readonly requests_per_s: number
    readonly input_tokens: number
    readonly output_tokens: number
    readonly cachedPrompt: number
  }
  readonly objectives: { readonly ttft_s: number; readonly tpot_s: number; readonly percentile: 'mean' | 'p50' | 'p90' | 'p99' }
  readonly prediction: {
    readonly ttft_s: number
    readonly tpot_s: number
    readonly tpot_low_s: number
    readonly tpot_high_s: number
    /** Requests a second of one replica within the objectives, and of the deployment without its spares. */
    readonly replica_requests_per_s: number
    readonly capacity_requests_per_s: number
    readonly output_tokens_per_s_per_device: number
    readonly decoding: number
    readonly memoryBandwidthUtilization: number
    readonly flopsUtilization: number
    readonly weights_bytes: number
    readonly cache_tokens: number
    /** What stops a replica from taking more. */
    readonly binding: 'ttft' | 'tpot' | 'memory' | 'compute'
    readonly usd_per_hour?: number
    readonly usd_per_million_tokens?: number
    readonly joules_per_token: number
    /** One decode step by cause. */
    readonly step_s: Readonly<Record<string, number>>
  }
}

const ID_DIGITS = 12

/** The content address of a plan; an id already in it does not count. */
export const servingPlanId = (plan: Omit<ServingPlan, 'id'> & { readonly id?: string }): string =>
  `serve-${sha256(canonicalJson({ ...plan, id: undefined })).slice(0, ID_DIGITS)}`
