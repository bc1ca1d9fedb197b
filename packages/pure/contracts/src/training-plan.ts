// A training plan: a complete decision with its prediction. It is immutable and named by its content, so what was priced is what
// runs: the id in a job's name proves which numbers it was started with. Bare numbers end in their unit.

import { canonicalJson, type Json } from './canonical-json.ts'
import { sha256 } from './sha256.ts'

export type TrainingDecision = {
  readonly tensor: number
  /** Norms and residuals are divided along the sequence among the tensor-parallel ranks. */
  readonly sequenceParallel: boolean
  readonly context: number
  readonly contextBy: 'ring' | 'all-to-all'
  readonly pipeline: number
  /** Chunks of layers per pipeline rank. */
  readonly virtual: number
  readonly schedule: '1f1b' | 'gpipe' | 'interleaved' | 'zero-bubble' | 'dualpipe'
  readonly expert: number
  readonly data: number
  /** What the data-parallel ranks divide among themselves: ZeRO stages 0 to 3; `weights` is FSDP. */
  readonly shards: 'nothing' | 'optimizer' | 'gradients' | 'weights'
  /** Ranks, of those of data and context together, among which is sharded while the rest replicate (HSDP); all when absent. */
  readonly shardGroup?: number
  /** Sequences per data-parallel rank and pass. */
  readonly microbatch: number
  readonly recompute: 'none' | 'selective' | 'full'
  /** Where states and master copies lie; off the device they cost time. */
  readonly optimizerOn: 'device' | 'host' | 'nvme'
  /** Name of a precision policy. */
  readonly precision: string
}

/** Everything on one device: what a strategy starts from. */
export const UNDIVIDED: Omit<TrainingDecision, 'precision'> = {
  tensor: 1,
  sequenceParallel: false,
  context: 1,
  contextBy: 'ring',
  pipeline: 1,
  virtual: 1,
  schedule: '1f1b',
  expert: 1,
  data: 1,
  shards: 'nothing',
  microbatch: 1,
  recompute: 'none',
  optimizerOn: 'device',
}

export type TrainingPlan = {
  readonly apiVersion: 'ironlaw/v1'
  readonly kind: 'TrainingPlan'
  readonly id: string
  readonly name: string
  readonly model: {
    readonly name: string
    readonly layers: number
    readonly width: number
    readonly heads: number
    readonly kvHeads: number
    /** Width inside one feed-forward block, or inside one expert. */
    readonly inner: number
    readonly vocabulary: number
    readonly experts?: number
    readonly activeExperts?: number
    readonly gated: boolean
    /** Whether the output projection is the token table; as the family has it when absent. */
    readonly tied?: boolean
    /** Width of one attention head, where it is not width / heads. */
    readonly headWidth?: number
    /** As Hugging Face's `model_type`. */
    readonly modelType: string
  }
  readonly tokens: number
  /** Tokens per sequence. */
  readonly sequence: number
  /** Sequences per optimizer step. */
  readonly globalBatch: number
  readonly fleet: {
    readonly accelerator: string
    readonly devices: number
    /** Joined by the fast links. */
    readonly perNode: number
    /** On one host, where the fast links join several. */
    readonly perHost?: number
  }
  /** The software that the prediction assumes, and whether it hides tensor-parallel exchange under products. */
  readonly runtime?: {
    readonly name: string
    readonly overlapsTensor: boolean
    /** Whether gradients and weights travel under the passes; they do when absent. */
    readonly overlapsData?: boolean
    /** With experts: a token goes once to each node (DeepEP), or once per expert (all-to-all). */
    readonly dispatch?: 'copies' | 'per-node'
  }
  readonly decision: TrainingDecision
  readonly prediction: {
    readonly step_s: number
    readonly step_low_s: number
    readonly step_high_s: number
    readonly tokens_per_s_per_device: number
    readonly mfu: number
    readonly hfu: number
    readonly memory_bytes: number
    readonly memory_limit_bytes: number
    readonly duration_s: number
    readonly cost_usd?: number
    readonly energy_j?: number
    readonly carbon_g?: number
    /** The run's part in the making of the accelerators. */
    readonly embodied_g?: number
    readonly causes_s: Readonly<Record<string, number>>
    /** Own measurements that the prediction rests on, and by what finished runs corrected each class of work. */
    readonly measured?: { readonly note: string; readonly corrections: Readonly<Record<string, number>> }
  }
}

const ID_DIGITS = 12

/** The content address of a plan. An id already in it does not count, so `planId(plan) === plan.id` tells whether a plan is unaltered. */
export function planId(plan: { readonly [field: string]: Json | undefined }): string {
  return `plan-${sha256(canonicalJson({ ...plan, id: undefined })).slice(0, ID_DIGITS)}`
}
