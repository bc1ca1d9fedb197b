// The frameworks people train with, as the planner sees them. Figures are fitted on calibration rows only (`npx ironlaw validate training`
// tells which) and belong to the software, its year and its settings, never to a single run.

import type { Runtime } from './runtime.ts'

/**
 * Megatron-Bridge, skills/nemo-mbridge-perf-moe-comm-overlap (2026-07), Qwen3-30B-A3B on 16 H100: a profile shows 37 % of HybridEP's exchange
 * hidden; by all-to-all the step falls from 41.3 to 31.3 s, half of an exchange of 19.7 s. The middle of both.
 */
const EXPERT_OVERLAP = 0.43

/** From two calibration rows: Qwen3-30B-A3B in MXFP8 on GB200 and GB300, four casts of 16 experts a layer. */
const EXPERT_CAST_s = 45e-6

const MEGATRON = {
  launchExpertForward_s: 0,
  launchExpertBackward_s: 0,
  expertCast_s: EXPERT_CAST_s,
  attentionKernel: 'vendor',
  dispatchers: ['alltoall'],
  schedules: ['1f1b'],
  shardsInGroups: false,
  muonShards: 'states',
  selectiveShare: 0,
  adaptersPer: 'product',
  loss: 'fused',
  /** A 32-bit copy, overwritten by its own gradient. */
  unfusedLossBytes: 4,
  gathersPerLayer: 1,
  expertOverlap: 0,
  sendOverlap: 0,
  tensorOverlap: 0,
  gradientOverlap: 0,
  weightOverlap: 0,
} as const

/**
 * `cross_entropy(logits.float(), ...)` of PyTorch. While the backward pass runs there are the log-softmax, its gradient and the gradient of
 * its input, 4 bytes each; the 16-bit logits, of which the account holds 2 bytes, are gone by then.
 */
const EAGER_LOSS_BYTES = 3 * 4 - 2

const QUICK_LAUNCH = { launchForward_s: 0.3e-3, launchBackward_s: 0.5e-3, launchExchange_s: 0.05e-3, launchStage_s: 0.1e-3 } as const

/**
 * From the one calibration row that the host binds: Qwen3-30B-A3B on 8 B200, 16 experts each, takes 9.2 ms per layer and microbatch of 4,096
 * tokens, forward and backward. That it grows with the experts of a device shows Qwen3-235B-A22B on GB200, which with 4 is not bound by it.
 */
const EXPERTS_LAUNCH = { launchExpertForward_s: 3.1e-3 / 16, launchExpertBackward_s: 5.2e-3 / 16 } as const

/** torch.distributed.pipelining: 1F1B, ZBVZeroBubble, DualPipeV. */
const PYTORCH_SCHEDULES = ['1f1b', 'zero-bubble', 'dualpipe'] as const

/** PyTorch FSDP with torch.compile: torchtitan. */
const FSDP_COMPILED = {
  ...MEGATRON,
  name: 'fsdp-compiled',
  dispatchers: ['alltoall', 'deepep'],
  schedules: PYTORCH_SCHEDULES,
  shardsInGroups: true,
  muonShards: 'weights',
  adaptersPer: 'matrix',
  unfusedLossBytes: EAGER_LOSS_BYTES,
  launchForward_s: 0.2e-3,
  launchBackward_s: 0.4e-3,
  launchExchange_s: 0.05e-3,
  launchStage_s: 0.2e-3,
  vectorPasses: 1.2,
  attentionKernel: 'flash-2',
  selectiveShare: 0.223,
  tensorOverlap: 0.308,
  gradientOverlap: 0.9,
  weightOverlap: 0.9,
} as const

export const RUNTIMES = {
  /** Megatron-DeepSpeed in eager mode without overlap: half of the single-node runs of vTrain. */
  'megatron-deepspeed': {
    ...MEGATRON,
    name: 'megatron-deepspeed',
    launchForward_s: 1.37e-3,
    launchBackward_s: 0.6e-3,
    launchExchange_s: 0.03e-3,
    launchStage_s: 1.07e-3,
    vectorPasses: 1.33,
  },
  /** Megatron-DeepSpeed as BigScience ran it, in BF16 with a full optimizer in FP32: the main run of BLOOM. ZeRO-3 gathers tensor by tensor, twelve to a layer. */
  'megatron-deepspeed-bf16': { ...MEGATRON, ...QUICK_LAUNCH, name: 'megatron-deepspeed-bf16', vectorPasses: 3.5, gathersPerLayer: 12 },
  /** Megatron-Core 0.14 with TransformerEngine 2.11, all overlap off: eight dense runs of SimuMax. */
  'megatron-core-plain': {
    ...MEGATRON,
    name: 'megatron-core-plain',
    launchForward_s: 0.74e-3,
    launchBackward_s: 1.49e-3,
    launchExchange_s: 0.86e-3,
    launchStage_s: 0.24e-3,
    vectorPasses: 1,
  },
  /** Megatron-LM of 2021 to 2023: fused kernels, gradients reduced after the last backward pass. */
  'megatron-2022': {
    ...MEGATRON,
    ...QUICK_LAUNCH,
    name: 'megatron-2022',
    vectorPasses: 1,
    sendOverlap: 1,
    tensorOverlap: 0.4,
  },
  /** Megatron-Core and NeMo with the overlaps that their performance recipes switch on. */
  'megatron-core': {
    ...MEGATRON,
    ...QUICK_LAUNCH,
    name: 'megatron-core',
    expertOverlap: EXPERT_OVERLAP,
    ...EXPERTS_LAUNCH,
    vectorPasses: 1.46,
    dispatchers: ['alltoall', 'deepep', 'hybridep', 'allgather'],
    sendOverlap: 1,
    tensorOverlap: 0.63,
    gradientOverlap: 0.9,
    weightOverlap: 0.9,
  },
  /**
   * The same with whole iterations as CUDA graphs and casts fused into grouped products (`--cuda-graph-impl full_iteration`, TransformerEngine's
   * operation fuser), as the MXFP8 recipes of Megatron-Bridge 26.06 run it: the host launches nothing within a step.
   */
  'megatron-core-graphs': {
    ...MEGATRON,
    name: 'megatron-core-graphs',
    expertOverlap: EXPERT_OVERLAP,
    borrowed: true,
    launchForward_s: 0,
    launchBackward_s: 0,
    launchExchange_s: 0,
    launchStage_s: 0,
    expertCast_s: 0,
    vectorPasses: 1.46,
    dispatchers: ['alltoall', 'deepep', 'hybridep', 'allgather'],
    sendOverlap: 1,
    tensorOverlap: 0.63,
    gradientOverlap: 0.9,
    weightOverlap: 0.9,
  },
  /** NVIDIA's MLPerf submissions: the same, tuned per benchmark. */
  mlperf: {
    ...MEGATRON,
    ...QUICK_LAUNCH,
    name: 'mlperf',
    expertOverlap: EXPERT_OVERLAP,
    vectorPasses: 1,
    dispatchers: ['alltoall', 'deepep', 'hybridep', 'allgather'],
    sendOverlap: 1,
    tensorOverlap: 0.675,
    gradientOverlap: 0.9,
    weightOverlap: 0.9,
  },
  /** PyTorch FSDP in eager mode: llm-foundry, torchtitan without compile. */
  'fsdp-eager': {
    ...MEGATRON,
    name: 'fsdp-eager',
    dispatchers: ['alltoall', 'deepep'],
    schedules: PYTORCH_SCHEDULES,
    shardsInGroups: true,
    muonShards: 'weights',
    adaptersPer: 'matrix',
    loss: 'unfused',
    unfusedLossBytes: EAGER_LOSS_BYTES,
    launchForward_s: 0.5e-3,
    launchBackward_s: 0.9e-3,
    launchExchange_s: 0.05e-3,
    launchStage_s: 0.3e-3,
    vectorPasses: 2.05,
    attentionKernel: 'flash-2',
    selectiveShare: 0.7,
    tensorOverlap: 0.106,
    gradientOverlap: 0.9,
    weightOverlap: 0.955,
  },
  'fsdp-compiled': FSDP_COMPILED,
  /** MaxText on TPUs: one compiled program, priced as PyTorch's; thirteen published runs in BF16 lie inside. */
  maxtext: { ...FSDP_COMPILED, name: 'maxtext', schedules: ['1f1b'] },
  /** NeuronX Distributed on Trainium: no published run was compared. */
  neuronx: { ...FSDP_COMPILED, name: 'neuronx', schedules: ['1f1b'], shardsInGroups: false, borrowed: true },
} as const satisfies Record<string, Runtime>

export type RuntimeName = keyof typeof RUNTIMES

export const DEFAULT_RUNTIME: RuntimeName = 'megatron-core'
