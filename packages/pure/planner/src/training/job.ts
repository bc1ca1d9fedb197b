// What is trained, apart from how it is divided.

import type { Architecture } from '@ironlaw/models'
import type { Machine } from '../machine/machine.ts'
import type { PrecisionPolicy } from './memory/precision.ts'

export type TrainingJob = {
  readonly architecture: Architecture
  /** Tokens per sequence. */
  readonly sequence: number
  /** Sequences per optimizer step. */
  readonly globalBatch: number
  readonly policy: PrecisionPolicy
  /** Documents that share a sequence attend to themselves alone: visible pairs of a packed sequence, as a share of a whole one's. */
  readonly visibleShare?: number
  /** A frozen copy of the model runs forward beside the trained one (DPO, RL); adapters are left out for it instead. */
  readonly reference?: true
  /** Sequences are pairs of answers, both of which one pass takes (DPO). */
  readonly pairs?: true
  /** A critic of the model's own size is trained beside it (PPO), one after the other: its states stay in memory, its activations do not. */
  readonly critic?: true
  readonly attention: 'flash' | 'unfused'
  readonly dropout: boolean
  /** A fused loss keeps one 16-bit copy of the logits; what an unfused one holds in addition is a property of the runtime. */
  readonly loss: 'fused' | 'unfused'
  /**
   * TransformerEngine from 2.3 on (grouped products from 2.10) keeps one 16-bit stand-in for the weight gradient of every weight shape,
   * because the true gradient goes straight into the FP32 buffer.
   */
  readonly dummyGradients: boolean
  /** Tokens of the fullest expert-parallel rank over the mean; even when absent, as benchmarks force it. */
  readonly expertImbalance?: number
}

/** What is trained and on what. */
export type Setup = { readonly machine: Machine; readonly job: TrainingJob }
