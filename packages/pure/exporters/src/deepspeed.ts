// DeepSpeed: the JSON of `--deepspeed_config`. Names follow docs/_pages/config-json.md at deepspeedai/DeepSpeed edaa722 (2026-08-22).
// The file divides data, tensors and experts of a model that the training program builds; pipelines are code there.

import type { TrainingPlan } from '@ironlaw/contracts'
import { type ExportedPlan, headLines, caveatLines, warningIf } from './exported.ts'
import { runtimeWarnings, adapterProblems, deviceProblems } from './fitness.ts'
import { contradictions, microbatchesOf, replicasOf } from './plan-numbers.ts'

type Fields = Readonly<Record<string, unknown>>

const STAGE = { nothing: 0, optimizer: 1, gradients: 2, weights: 3 } as const

export function deepspeed(plan: TrainingPlan): ExportedPlan {
  const { tensor, context, expert, microbatch, recompute } = plan.decision
  const warnings = [...runtimeWarnings(plan, 'deepspeed'), ...unsupportedSettings(plan)]
  const impossible = [
    ...contradictions(plan),
    ...deviceProblems(plan, 'deepspeed'),
    ...adapterProblems(plan, 'deepspeed'),
    ...refusedCombinations(plan),
  ]
  const config: Fields = {
    // JSON has no comments; DeepSpeed passes over a section that it does not know.
    ironlaw: { plan: plan.id, about: [...headLines(plan).slice(1), ...caveatLines({ warnings, impossible })] },
    train_batch_size: plan.globalBatch,
    train_micro_batch_size_per_gpu: microbatch,
    gradient_accumulation_steps: microbatchesOf(plan),
    ...precision(plan),
    zero_optimization: zero(plan),
    ...(tensor > 1 && { tensor_parallel: { autotp_size: tensor } }),
    ...(context > 1 && { sequence_parallel_size: context }),
    ...(expert > 1 && { expert_parallel: { enabled: true, autoep_size: expert, ...preset(plan) } }),
    ...(recompute !== 'none' && {
      activation_checkpointing: { partition_activations: tensor > 1, number_checkpoints: plan.model.layers },
    }),
  }
  return { text: `${JSON.stringify(config, undefined, 2)}\n`, warnings, impossible }
}

function zero(plan: TrainingPlan): Fields {
  const { shards, optimizerOn } = plan.decision
  return {
    stage: STAGE[shards],
    ...(shards !== 'nothing' && { overlap_comm: true, contiguous_gradients: true }),
    ...(optimizerOn === 'host' && { offload_optimizer: { device: 'cpu', pin_memory: true } }),
    ...(optimizerOn === 'nvme' && { offload_optimizer: { device: 'nvme', nvme_path: '/local_nvme', pin_memory: true } }),
  }
}

const BF16 = { bf16: { enabled: true } }

const PRECISIONS: Readonly<Record<string, Fields>> = {
  fp32: { bf16: { enabled: false } },
  'fp16-mixed': { fp16: { enabled: true }, data_types: { grad_accum_dtype: 'fp32' } },
  'bf16-mixed': { ...BF16, data_types: { grad_accum_dtype: 'fp32' } },
  'bf16-gradients': { ...BF16, data_types: { grad_accum_dtype: 'bf16' } },
  'bf16-pure': { bf16: { enabled: true, bf16_master_weights_and_grads: true, bf16_optimizer_states: true } },
}

const precision = ({ decision }: TrainingPlan): Fields =>
  (Object.hasOwn(PRECISIONS, decision.precision) ? PRECISIONS[decision.precision] : undefined) ?? BF16

/** Families whose expert layers DeepSpeed finds by name; the names are Hugging Face's model types. */
const PRESETS: ReadonlySet<string> = new Set(['mixtral', 'qwen3_moe', 'deepseek_v2', 'deepseek_v3'])

const preset = ({ model: { modelType } }: TrainingPlan): Fields => (PRESETS.has(modelType) ? { preset_model: modelType } : {})

function unsupportedSettings(plan: TrainingPlan): readonly string[] {
  const {
    tensor,
    sequenceParallel,
    context,
    contextBy,
    pipeline,
    expert,
    shards,
    recompute,
    optimizerOn,
    precision: policy,
  } = plan.decision
  const hybrid = shards !== 'nothing' && replicasOf(plan.decision) > 1
  return [
    ...warningIf(pipeline > 1, `pipeline of ${pipeline}: not a matter of this file; build the model as a deepspeed.pipe.PipelineModule`),
    ...warningIf(
      tensor > 1 && sequenceParallel,
      'sequence parallelism: not combined with DeepSpeed tensor parallelism; norms and residuals are kept whole',
    ),
    ...warningIf(context > 1, 'context parallelism: the training program must set up Ulysses; the file only states its size'),
    ...warningIf(context > 1 && contextBy === 'ring', 'DeepSpeed exchanges sequences by all-to-all over heads; it has no ring'),
    ...expertWarnings(plan),
    ...warningIf(expert > 1 && !PRESETS.has(plan.model.modelType), `DeepSpeed has no expert preset for "${plan.model.modelType}"`),
    // MiCS, which did it for weights, was removed; a file that asks for it is refused.
    ...warningIf(hybrid, `shardGroup: DeepSpeed shards ${shards} over all data-parallel ranks, not in groups`),
    ...warningIf(
      recompute !== 'none',
      'recomputation: the model must call deepspeed.checkpointing, or its own; the file only sets options of the former',
    ),
    ...warningIf(optimizerOn === 'host' && shards === 'nothing', 'optimizer on the host: DeepSpeed offloads only from ZeRO stage 1 on'),
    ...warningIf(optimizerOn === 'nvme' && shards !== 'weights', 'optimizer on NVMe: DeepSpeed offloads there with ZeRO stage 3 only'),
    ...warningIf(
      plan.optimizer !== undefined,
      `optimizer ${plan.optimizer ?? ''}: the training program makes the optimizer and hands it to DeepSpeed; the file does not name it`,
    ),
    ...warningIf(
      plan.method === 'dpo',
      'method dpo: the training program computes the loss and runs the reference model; the file does not name it',
    ),
    ...warningIf(
      plan.packed === true,
      'packed documents: the training program packs them and keeps attention inside each; the file does not name it',
    ),
    ...warningIf(optimizerOn === 'nvme', 'optimizer on NVMe: nvme_path is a guess; set it to the mount point of the drives'),
    ...warningIf(!Object.hasOwn(PRECISIONS, policy), `precision ${policy}: not a setting of this file; written as bf16`),
  ]
}

/** Its one dispatcher is an all-to-all that passes wait for. */
function expertWarnings({ decision: { dispatcher = 'alltoall', dispatchPrecision, expertOverlap } }: TrainingPlan): readonly string[] {
  return [
    ...warningIf(dispatcher !== 'alltoall', `dispatcher ${dispatcher}: DeepSpeed sends tokens to experts by all-to-all`),
    ...warningIf(dispatchPrecision === 'fp8', 'dispatchPrecision fp8: DeepSpeed sends tokens in 16 bits'),
    ...warningIf(expertOverlap === true, 'expertOverlap: DeepSpeed waits for the exchange with experts'),
  ]
}

/** What DeepSpeed itself raises on: PipelineEngine, DeepSpeedConfig, and the checks of automatic expert parallelism. */
function refusedCombinations({ decision }: TrainingPlan): readonly string[] {
  const { tensor, context, pipeline, expert, shards, optimizerOn, precision: policy } = decision
  const folded = expert > 1 && tensor > 1
  return [
    ...warningIf(
      pipeline > 1 && STAGE[shards] > 1,
      `DeepSpeed pipelines work with ZeRO stages 0 and 1 only, not ${STAGE[shards]}: set strategy.shards: optimizer`,
    ),
    ...warningIf(
      policy === 'bf16-pure' && shards === 'nothing',
      'precision bf16-pure: DeepSpeed keeps main weights in 16 bits from ZeRO stage 1 on: set strategy.shards: optimizer',
    ),
    ...warningIf(
      expert > 1 && context > 1 && shards === 'weights',
      'DeepSpeed does not combine expert and sequence parallelism with ZeRO stage 3: set strategy.shards: gradients',
    ),
    ...warningIf(
      folded && (pipeline > 1 || context > 1),
      'DeepSpeed combines expert and tensor parallelism with neither a pipeline nor sequence parallelism',
    ),
    ...warningIf(
      folded && optimizerOn !== 'device',
      'DeepSpeed does not combine expert and tensor parallelism with an optimizer on the host: set strategy.optimizerOn: device',
    ),
  ]
}
