// What a parameter costs in memory while it is trained, by policy. The names are the ones people use; the bytes are what the
// frameworks keep (Megatron-LM keeps FP32 main gradients in addition to BF16 weights: 2 + 4 + 4 + 8 = 18 bytes).

import type { LoraTargets, OptimizerName } from '@ironlaw/contracts'

/** Matrices that are trained beside a frozen model. */
export type Adapter = {
  readonly rank: number
  readonly targets: LoraTargets
  /** Bytes per parameter of the frozen base: 2, or fewer where its products are stored quantized. */
  readonly baseWeight: number
}

export type PrecisionPolicy = {
  readonly name: string
  /** Precision of the matrix products: which peak and which efficiency curve. */
  readonly compute: 'fp32' | 'bf16' | 'fp8' | 'fp4'
  /** Bytes per trained parameter. */
  readonly weight: number
  readonly gradient: number
  readonly master: number
  readonly moments: number
  /** Bytes per element of a saved activation. */
  readonly activation: number
  /**
   * Bytes per element of the input that a product keeps for its weight gradient, where that is not the activation itself: TransformerEngine
   * keeps the copy that it has cast down (`saved_inputmat` in pytorch/module/linear.py), torchao the one in high precision.
   */
  readonly productInput?: number
  /** PyTorch's FSDP: the sharded weights are the master copy, and what is gathered is a copy in the precision of activations. */
  readonly fullySharded?: true
  /** Gradients are PyTorch's own: made apart and then added, four passes over memory, where Megatron's products add into them with two. */
  readonly addsApart?: true
  /** Bytes of moments per parameter of token table and head, where layers have others. */
  readonly endMoments?: number
  /** Adam when absent. */
  readonly optimizer?: OptimizerName
  /** Bytes per gradient on the wire; as they are kept when absent. */
  readonly reduced?: number
  /** The model is frozen, and only adapters are trained. */
  readonly adapter?: Adapter
}

export const POLICIES = {
  fp32: { name: 'fp32', compute: 'fp32', weight: 4, gradient: 4, master: 0, moments: 8, activation: 4 },
  'bf16-mixed': { name: 'bf16-mixed', compute: 'bf16', weight: 2, gradient: 4, master: 4, moments: 8, activation: 2 },
  /** For devices without BF16: the same bytes, products at the rate of FP16. */
  'fp16-mixed': { name: 'fp16-mixed', compute: 'bf16', weight: 2, gradient: 4, master: 4, moments: 8, activation: 2 },
  /** Gradients reduced and kept in 16 bits, as DeepSpeed does. */
  'bf16-gradients': {
    name: 'bf16-gradients',
    compute: 'bf16',
    weight: 2,
    gradient: 2,
    master: 4,
    moments: 8,
    activation: 2,
    addsApart: true,
  },
  /** FSDP2 mixed precision: sharded FP32 weights are the master copy, BF16 copies live only while a layer works. */
  'fsdp-mixed': {
    name: 'fsdp-mixed',
    compute: 'bf16',
    weight: 4,
    gradient: 4,
    master: 0,
    moments: 8,
    activation: 2,
    fullySharded: true,
  },
  'bf16-pure': { name: 'bf16-pure', compute: 'bf16', weight: 2, gradient: 2, master: 0, moments: 4, activation: 2 },
  fp8: { name: 'fp8', compute: 'fp8', weight: 2, gradient: 4, master: 4, moments: 8, activation: 2, productInput: 1 },
  /** Products in NVFP4, everything else as in FP8 training. Recipes leave some layers in 16 bits (NVIDIA 2025); all are priced in four. */
  nvfp4: { name: 'nvfp4', compute: 'fp4', weight: 2, gradient: 4, master: 4, moments: 8, activation: 2, productInput: 1 },
  lora: {
    name: 'lora',
    compute: 'bf16',
    weight: 2,
    gradient: 4,
    master: 4,
    moments: 8,
    activation: 2,
    adapter: { rank: 16, targets: 'all-linear', baseWeight: 2 },
  },
  /** NF4 blocks of 64 with doubly quantized scales: 4.127 bits per weight (Dettmers et al., QLoRA, 2023). */
  qlora: {
    name: 'qlora',
    compute: 'bf16',
    weight: 2,
    gradient: 4,
    master: 4,
    moments: 8,
    activation: 2,
    adapter: { rank: 16, targets: 'all-linear', baseWeight: 4.127 / 8 },
  },
} as const satisfies Record<string, PrecisionPolicy>

export type PolicyName = keyof typeof POLICIES
