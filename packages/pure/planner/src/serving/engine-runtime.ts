// Overheads of the serving engine in addition to its kernels: host time around a step, gaps between kernels, and how it schedules.
// Properties of the software and its version, never of one run. Factors and host times are fitted to the calibration rows of
// docs/validation/serving.md; launches, time per request, limits and shares of memory are the engines' defaults or judgement.

import { STEP_TOKENS } from '@ironlaw/contracts'
import type { CurveName } from './curves.ts'

export type EngineRuntime = {
  readonly name: string
  /** Kernels in a running engine against the same kernels replayed alone: cold caches, clocks under load, gaps. */
  readonly kernels: number
  /** Products in a precision against the measured kernel, where engines quantize inside a neighbour. */
  readonly products: Readonly<Partial<Record<CurveName, number>>>
  /** Fused experts against the measured kernel, by generation and precision: what does not and what does depend on the work. */
  readonly experts: Readonly<Partial<Record<string, { readonly starts: number; readonly body: number }>>>
  /** Share of a kernel's start that remains when kernels are launched as graphs and overlap at their ends. */
  readonly starts: number
  /** Exchanges among ranks in a running engine against the same measured alone. */
  readonly exchange: number
  /** Host time per step that no kernel hides: scheduling, input preparation, sampling, detokenizing. */
  readonly step_s: number
  /** The same per sequence in the step. */
  readonly sequence_s: number
  /** Host time per layer of a step that is launched kernel by kernel, as prefill is; a floor, not a sum. */
  readonly launch_s: number
  /** Whether decode steps are replayed as graphs, which costs no launches. */
  readonly graphs: boolean
  /** Per request, before its first step and after its first token. */
  readonly request_s: number
  /**
   * Between the engine and a client that times first tokens: HTTP, tokenizer, the client itself. Fitted to calibration rows of InferenceX, whose
   * clients run beside the engine; a network in between comes on top.
   */
  readonly client_s: number
  /** Most tokens of one step. */
  readonly tokensPerStep: number
  readonly sequencesMost: number
  /** Share of device memory that weights, activations and cache may fill. */
  readonly memoryShare: number
  /** Whether prompts and decoding share a step; otherwise prompts go first, alone. */
  readonly mixed: boolean
  /**
   * Steps that a prompt waits for prompts of the other copies of the attention, so that all work at once. TensorRT-LLM does so with
   * `enable_balance`: up to `timeout_iters`, 50 by default, and then `batching_wait_iters`, 10 (AttentionDpConfig of its reference, 2026). The
   * published runs do not state theirs; ten, of the two the shorter, fits the calibration rows.
   */
  readonly promptWait_steps?: number
  /** One device a replica, prompts and decoding together, and weights in these precisions; any where it is left out. */
  readonly single?: { readonly loads: readonly string[] }
  /** No calibration row is of it: its factors are judgement, and its intervals wider. */
  readonly unfitted?: true
}

/** Engines quantize inside the kernel before a product, which the measured one does itself. */
const FUSED_QUANTIZATION = { nvfp4: 0.59 }

const VLLM: EngineRuntime = {
  name: 'vllm',
  kernels: 1.066,
  products: FUSED_QUANTIZATION,
  experts: {
    'blackwell fp8-block': { starts: 0.6, body: 0.96 },
    'blackwell nvfp4': { starts: 0.48, body: 0.48 },
    'hopper bf16': { starts: 1.32, body: 1.16 },
    'hopper fp8-block': { starts: 0.68, body: 1.29 },
    'hopper nvfp4': { starts: 1.35, body: 0.9 },
  },
  starts: 0.74,
  exchange: 1.16,
  step_s: 0.64e-3,
  sequence_s: 6e-6,
  launch_s: 60e-6,
  graphs: true,
  request_s: 15e-3,
  client_s: 30e-3,
  tokensPerStep: STEP_TOKENS,
  sequencesMost: 1024,
  memoryShare: 0.9,
  mixed: true,
}

const SGLANG: EngineRuntime = {
  name: 'sglang',
  kernels: 0.987,
  products: FUSED_QUANTIZATION,
  experts: {
    'blackwell bf16': { starts: 0.93, body: 0.84 },
    'blackwell fp8-block': { starts: 0.18, body: 1.38 },
    'blackwell nvfp4': { starts: 0.23, body: 0.37 },
    'hopper fp8-block': { starts: 1.07, body: 0.71 },
  },
  starts: 0.4,
  exchange: 0.73,
  step_s: 3.09e-3,
  sequence_s: 29.2e-6,
  launch_s: 60e-6,
  graphs: true,
  request_s: 15e-3,
  client_s: 150e-3,
  tokensPerStep: STEP_TOKENS,
  sequencesMost: 1024,
  memoryShare: 0.88,
  mixed: false,
}

const TENSORRT_LLM: EngineRuntime = {
  name: 'tensorrt-llm',
  kernels: 1.05,
  products: FUSED_QUANTIZATION,
  experts: {
    'blackwell fp8-block': { starts: 0.2, body: 1.06 },
    'blackwell nvfp4': { starts: 0.16, body: 0.42 },
    'hopper fp8-block': { starts: 1.48, body: 0.98 },
    'hopper nvfp4': { starts: 2.27, body: 1.98 },
  },
  starts: 0.83,
  exchange: 1.11,
  step_s: 0.53e-3,
  sequence_s: 14e-6,
  launch_s: 40e-6,
  graphs: true,
  request_s: 10e-3,
  client_s: 60e-3,
  tokensPerStep: STEP_TOKENS,
  sequencesMost: 2048,
  memoryShare: 0.9,
  mixed: true,
  promptWait_steps: 10,
}

/**
 * llama-server of llama.cpp b21e4de (2026-08-22). Defaults: batches of 2,048 tokens (common.h), LLAMA_MAX_SEQ of 256, 1 GiB of a device left free.
 * Its graphs are replayed only while batches keep their shape, which those of a server do not. Tokens are drawn on the host, one slot after the
 * other: 0.64 ms each for 32,000 words on a laptop's core of 2023 (pull request 3228), half of that is taken. Kernels by judgement: a batch
 * beyond 16 goes through cuBLAS, what is about the products is less fused than in vLLM. Its clients are taken to be vLLM's.
 */
const LLAMACPP: EngineRuntime = {
  name: 'llamacpp',
  kernels: 1.2,
  products: {},
  experts: {},
  starts: 1,
  exchange: 1,
  step_s: 0.5e-3,
  sequence_s: 320e-6,
  launch_s: 40e-6,
  graphs: false,
  request_s: 5e-3,
  client_s: 30e-3,
  tokensPerStep: 2048,
  sequencesMost: 256,
  memoryShare: 0.95,
  mixed: true,
  single: { loads: ['bf16', 'int8', 'int4', 'mxfp4-experts'] },
  unfitted: true,
}

export const ENGINE_RUNTIMES = {
  vllm: VLLM,
  sglang: SGLANG,
  'tensorrt-llm': TENSORRT_LLM,
  llamacpp: LLAMACPP,
  /** Versions 0.9 to 0.17: the C++ runtime and its engines built beforehand. */
  'tensorrt-llm-2024': { ...TENSORRT_LLM, name: 'tensorrt-llm-2024', promptWait_steps: 1, experts: {}, step_s: 1.2e-3, memoryShare: 0.95 },
  /** Engines of 2023, launched kernel by kernel in decoding too. */
  'static-2023': { ...VLLM, name: 'static-2023', exchange: 3, starts: 1, step_s: 5e-3, launch_s: 500e-6, graphs: false, request_s: 0 },
} as const satisfies Record<string, EngineRuntime>

export type EngineName = keyof typeof ENGINE_RUNTIMES
