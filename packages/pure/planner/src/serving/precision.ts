// What a served model is kept and computed in. Quantized checkpoints leave parts in 16 bits: attention projections of FP4 checkpoints,
// routers, token table and head.

import type { CurveName } from './curves.ts'

/** One kind of weights: bytes per parameter with its scales, the curve that times its products and the peak behind it. */
export type WeightFormat = {
  readonly bytes: number
  readonly curve: CurveName
  /** Weights are widened to 16 bits on the way: half the traffic, the arithmetic of BF16. */
  readonly weightOnly?: true
  /** Multiplied as integers where the device has no 8-bit floats. */
  readonly integer?: true
}

export type ServingPrecision = {
  readonly name: string
  readonly experts: WeightFormat
  readonly dense: WeightFormat
  readonly attention: WeightFormat
}

const BF16: WeightFormat = { bytes: 2, curve: 'bf16' }
const FP8: WeightFormat = { bytes: 1, curve: 'fp8' }
const FP8_BLOCK: WeightFormat = { bytes: 1, curve: 'fp8-block' }
/** A 4-bit value and an 8-bit scale for every 16: NVIDIA's NVFP4. */
const NVFP4: WeightFormat = { bytes: 0.5625, curve: 'nvfp4' }
/** A 4-bit value and an 8-bit scale for every 32: OCP microscaling. */
const MXFP4: WeightFormat = { bytes: 0.53125, curve: 'nvfp4' }
/** Groups of 128 with a 16-bit scale and zero point, as AWQ and GPTQ write them. */
const INT4: WeightFormat = { bytes: 0.53, curve: 'bf16', weightOnly: true }
const INT8: WeightFormat = { bytes: 1, curve: 'fp8', integer: true }

export const SERVING_PRECISIONS = {
  bf16: { name: 'bf16', experts: BF16, dense: BF16, attention: BF16 },
  fp8: { name: 'fp8', experts: FP8, dense: FP8, attention: FP8 },
  /** Scales per block of 128 x 128, as DeepSeek and Qwen publish them. */
  'fp8-block': { name: 'fp8-block', experts: FP8_BLOCK, dense: FP8_BLOCK, attention: FP8_BLOCK },
  int8: { name: 'int8', experts: INT8, dense: INT8, attention: INT8 },
  int4: { name: 'int4', experts: INT4, dense: INT4, attention: INT4 },
  /** Only experts are INT4, as Kimi K2 is published from K2 Thinking on. */
  'int4-experts': { name: 'int4-experts', experts: INT4, dense: BF16, attention: BF16 },
  nvfp4: { name: 'nvfp4', experts: NVFP4, dense: NVFP4, attention: NVFP4 },
  /** As NVIDIA quantizes DeepSeek: experts and dense blocks in FP4, attention in 16 bits. */
  'nvfp4-experts': { name: 'nvfp4-experts', experts: NVFP4, dense: NVFP4, attention: BF16 },
  /** As gpt-oss is published. */
  'mxfp4-experts': { name: 'mxfp4-experts', experts: MXFP4, dense: BF16, attention: BF16 },
} as const satisfies Record<string, ServingPrecision>

export type ServingPrecisionName = keyof typeof SERVING_PRECISIONS

/** That are chosen from where a spec names none. */
export const USUAL_PRECISIONS: readonly ServingPrecisionName[] = ['bf16', 'fp8']

export type CachePrecision = 'bf16' | 'fp8' | 'int8'

export const CACHE_BYTES: Readonly<Record<CachePrecision, number>> = { bf16: 2, fp8: 1, int8: 1 }
