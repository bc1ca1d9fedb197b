// What the software brings along: how long the host needs to launch a layer, how well elementwise work is fused, and what it
// overlaps. A property of the framework and its settings, never of a single run.

import type { Dispatcher } from '@ironlaw/contracts'
import type { Schedule } from '../strategy.ts'

export type Runtime = {
  readonly name: string
  /** Stands for software that no calibration row ran. */
  readonly borrowed?: true
  /** Host time to launch one layer, forward and backward: a floor under the device's time. */
  readonly launchForward_s: number
  readonly launchBackward_s: number
  /** Additional host time for each routed expert on the device: kernels are launched, and inputs cast, one expert after the other. */
  readonly launchExpertForward_s: number
  readonly launchExpertBackward_s: number
  /** Device time of casting the input of an expert's product to 8 bits, beside the traffic. */
  readonly expertCast_s: number
  /** Host time per exchange that a layer waits for. */
  readonly launchExchange_s: number
  /** Host time of the pipeline engine per microbatch and pass of a stage: never hidden. */
  readonly launchStage_s: number
  /** Passes over memory of elementwise work against perfectly fused kernels. */
  readonly vectorPasses: number
  /** FlashAttention-2 was written for Ampere and leaves newer matrix units half idle; vendors' kernels and FlashAttention-3 do not. */
  readonly attentionKernel: 'flash-2' | 'vendor'
  /** Ways of sending tokens to experts that it offers. */
  readonly dispatchers: readonly Dispatcher[]
  /** Orders of passes that it offers without interleaved chunks. */
  readonly schedules: readonly Schedule[]
  /** Shards weights inside groups of ranks, and replicates the groups (HSDP). */
  readonly shardsInGroups: boolean
  /** What Muon lets ranks divide: states alone, which then stay on the device (Megatron-LM), or weights and gradients too. */
  readonly muonShards: 'states' | 'weights'
  /** Share of tensor-parallel exchange that can hide under products, inside a node. */
  readonly tensorOverlap: number
  /** Share of the exchange with experts that can hide under the passes of another microbatch, where the strategy says so. */
  readonly expertOverlap: number
  /** Share of the messages between pipeline stages that hides under work, where chunks are interleaved. */
  readonly sendOverlap: number
  /**
   * Share of a layer's products that `selective` computes again. 0 is Megatron's policy: the attention core and nothing else. Above it stands
   * torchtitan's, operator by operator: outputs of attention and of every other product are kept, the rest is built again.
   */
  readonly selectiveShare: number
  /** Adapters per product as it runs, merged ones getting one (NeMo, Megatron-Bridge), or per matrix of the model (PEFT, torchtune). */
  readonly adaptersPer: 'product' | 'matrix'
  /** How it computes the loss by default, and what an unfused one holds per logit in addition to the 16-bit logits, in bytes. */
  readonly loss: 'fused' | 'unfused'
  readonly unfusedLossBytes: number
  /** Collectives per layer when sharded weights are gathered: one flat buffer, or tensor by tensor. */
  readonly gathersPerLayer: number
  /** Share of gradient exchange that can hide under the backward pass, and of weight gathering under the forward pass. */
  readonly gradientOverlap: number
  readonly weightOverlap: number
}
