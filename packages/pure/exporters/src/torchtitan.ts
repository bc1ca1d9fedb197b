// torchtitan 0.2: the TOML file of `--job.config_file`. Names follow torchtitan/config/job_config.py at tag v0.2.2 (2026-02-20), the
// last release that reads TOML: later versions are configured by Python modules and count batches in tokens.

import type { TrainingPlan } from '@ironlaw/contracts'
import { commentLines, type ExportedPlan, headLines, caveatLines, warningIf } from './exported.ts'
import { runtimeWarnings, adapterProblems, deviceProblems, methodProblems } from './fitness.ts'
import { chunksOf, contradictions, microbatchesOf, replicasOf, stepsOf } from './plan-numbers.ts'

type Value = string | number | boolean | readonly string[]
type Fields = Readonly<Record<string, Value>>
type Section = { readonly fields: Fields; readonly warnings?: readonly string[]; readonly impossible?: readonly string[] }

/** The configuration by section, and what of the plan it does not carry. */
type Settings = Pick<ExportedPlan, 'warnings' | 'impossible'> & { readonly sections: readonly (readonly [name: string, Fields])[] }

export function torchtitanSettings(plan: TrainingPlan): Settings {
  const sections: readonly (readonly [string, Section])[] = [
    ['job', { fields: { description: `Ironlaw ${plan.id}` } }],
    ['model', model(plan)],
    ['training', training(plan)],
    ['parallelism', parallelism(plan)],
    ['activation_checkpoint', checkpointing(plan)],
    ['compile', { fields: { enable: plan.runtime?.name === 'fsdp-compiled' } }],
  ]
  return {
    sections: sections.map(([name, { fields }]) => [name, fields]),
    warnings: [...runtimeWarnings(plan, 'torchtitan'), ...sections.flatMap(([, section]) => section.warnings ?? [])],
    impossible: [
      ...contradictions(plan),
      ...deviceProblems(plan, 'torchtitan'),
      ...adapterProblems(plan, 'torchtitan'),
      ...methodProblems(plan, 'torchtitan'),
      ...sections.flatMap(([, section]) => section.impossible ?? []),
    ],
  }
}

export function torchtitan(plan: TrainingPlan): ExportedPlan {
  const { sections, warnings, impossible } = torchtitanSettings(plan)
  const lines = [
    ...commentLines([
      ...headLines(plan),
      'For torchtitan 0.2. The plan decides neither data, tokenizer nor learning rate: add them.',
      ...caveatLines({ warnings, impossible }),
    ]),
    ...sections.flatMap(([name, fields]) => ['', `[${name}]`, ...Object.entries(fields).map(([key, value]) => `${key} = ${toml(value)}`)]),
  ]
  return { text: `${lines.join('\n')}\n`, warnings, impossible }
}

/** The same as arguments, which count above what a file of the user's says. */
export const torchtitanArguments = ({ sections }: Settings): readonly string[] =>
  sections.flatMap(([section, fields]) => Object.entries(fields).flatMap(([key, value]) => argument(`${section}.${key}`, value)))

function argument(name: string, value: Value): readonly string[] {
  if (typeof value === 'boolean') return [value ? `--${name}` : `--${name.replace('.', '.no-')}`]
  return [`--${name}`, ...(typeof value === 'object' ? value : [String(value)])]
}

/** A JSON string without control characters above its escapes is a TOML basic string; DEL is the one that JSON lets through. */
const toml = (value: Value): string => JSON.stringify(value).replaceAll('\u007F', '\\u007F')

/** Flavors that torchtitan 0.2 registers, by Hugging Face model type and shape. */
const FLAVORS: readonly {
  readonly modelType: string
  readonly layers: number
  readonly width: number
  readonly name: string
  readonly flavor: string
  /** The flavor whose attention stays inside documents. */
  readonly packed?: string
}[] = [
  { modelType: 'llama', layers: 6, width: 256, name: 'llama3', flavor: 'debugmodel', packed: 'debugmodel_flex_attn' },
  { modelType: 'llama', layers: 32, width: 4096, name: 'llama3', flavor: '8B', packed: '8B_flex' },
  { modelType: 'llama', layers: 80, width: 8192, name: 'llama3', flavor: '70B' },
  { modelType: 'llama', layers: 126, width: 16_384, name: 'llama3', flavor: '405B' },
  { modelType: 'qwen3', layers: 28, width: 1024, name: 'qwen3', flavor: '0.6B' },
  { modelType: 'qwen3', layers: 28, width: 2048, name: 'qwen3', flavor: '1.7B' },
  { modelType: 'qwen3', layers: 36, width: 2560, name: 'qwen3', flavor: '4B' },
  { modelType: 'qwen3', layers: 36, width: 4096, name: 'qwen3', flavor: '8B' },
  { modelType: 'qwen3', layers: 40, width: 5120, name: 'qwen3', flavor: '14B' },
  { modelType: 'qwen3', layers: 64, width: 5120, name: 'qwen3', flavor: '32B' },
  { modelType: 'qwen3_moe', layers: 48, width: 2048, name: 'qwen3', flavor: '30B-A3B' },
  { modelType: 'qwen3_moe', layers: 94, width: 4096, name: 'qwen3', flavor: '235B-A22B' },
  { modelType: 'deepseek_v3', layers: 61, width: 7168, name: 'deepseek_v3', flavor: '671B', packed: '671B' },
]

function model({ model: shape, decision, packed }: TrainingPlan): Section {
  const known = FLAVORS.find(
    ({ modelType, layers, width }) => modelType === shape.modelType && layers === shape.layers && width === shape.width,
  )
  return {
    fields: {
      // A name that torchtitan refuses is better than its default, a toy.
      name: known?.name ?? shape.modelType,
      flavor: (packed === true ? known?.packed : undefined) ?? known?.flavor ?? 'unregistered',
      ...(decision.precision === 'fp8' && { converters: ['quantize.linear.float8'] }),
    },
    warnings: [
      ...warningIf(
        packed === true && known !== undefined && known.packed === undefined,
        `packed documents: the ${known?.flavor ?? ''} of torchtitan 0.2 attends across their ends; register it with attn_type flex and attn_mask_type block_causal`,
      ),
      ...warningIf(packed === false, 'documents padded to a sequence each: torchtitan joins them; set documents.packed: true'),
    ],
    impossible: warningIf(
      known === undefined,
      `torchtitan 0.2 registers no ${shape.modelType} of ${shape.layers} layers and width ${shape.width}: register it in a module of your own, and plan with run.framework: sdk`,
    ),
  }
}

const PRECISIONS: Readonly<Record<string, Section>> = {
  fp32: { fields: { mixed_precision_param: 'float32' } },
  'fsdp-mixed': { fields: {} },
  'bf16-pure': { fields: { dtype: 'bfloat16' } },
  'bf16-mixed': { fields: {}, warnings: ['precision bf16-mixed: torchtitan keeps sharded 32-bit weights alone, as fsdp-mixed'] },
  'bf16-gradients': { fields: {}, warnings: ['precision bf16-gradients: torchtitan reduces gradients in 32 bits'] },
  fp8: { fields: {}, warnings: ['precision fp8: torchtitan keeps sharded 32-bit weights alone, as fsdp-mixed'] },
}

function training(plan: TrainingPlan): Section {
  const { pipeline, microbatch, precision, optimizerOn } = plan.decision
  const { optimizer = 'adam' } = plan
  const known = Object.hasOwn(PRECISIONS, precision) ? PRECISIONS[precision] : undefined
  return {
    fields: {
      // A pipeline takes all its microbatches at once; without one, what exceeds a local batch is accumulated.
      local_batch_size: pipeline > 1 ? microbatch * microbatchesOf(plan) : microbatch,
      global_batch_size: plan.globalBatch,
      seq_len: plan.sequence,
      steps: stepsOf(plan),
      ...(optimizerOn !== 'device' && { enable_cpu_offload: true }),
      ...known?.fields,
    },
    warnings: [
      ...warningIf(optimizerOn !== 'device', 'optimizer on the host: torchtitan moves weights and gradients there too'),
      ...warningIf(optimizer === 'adam-8bit', 'optimizer adam-8bit: torchtitan keeps moments in 32 bits'),
      ...warningIf(optimizerOn === 'nvme', 'optimizer on NVMe: torchtitan offloads to host memory only'),
      ...(known?.warnings ?? []),
      ...warningIf(known === undefined, `precision ${precision}: torchtitan has no such policy; written as fsdp-mixed`),
    ],
    impossible: warningIf(optimizer === 'muon', 'torchtitan 0.2 has no Muon: plan with optimizer: adam, or with run.framework: sdk'),
  }
}

const SCHEDULES = {
  '1f1b': { name: '1F1B', perRank: 1 },
  gpipe: { name: 'GPipe', perRank: 1 },
  interleaved: { name: 'Interleaved1F1B', perRank: undefined },
  'zero-bubble': { name: 'ZBVZeroBubble', perRank: 2 },
  dualpipe: { name: 'DualPipeV', perRank: 2 },
} as const

function parallelism(plan: TrainingPlan): Section {
  const { tensor, sequenceParallel, context, contextBy, pipeline, expert, data, shards } = plan.decision
  const replicas = replicasOf(plan.decision)
  const stages = pipelineFields(plan)
  return {
    fields: {
      data_parallel_replicate_degree: replicas,
      data_parallel_shard_degree: data / replicas,
      ...(shards === 'optimizer' || shards === 'gradients' ? { fsdp_reshard_after_forward: 'never' } : {}),
      tensor_parallel_degree: tensor,
      pipeline_parallel_degree: pipeline,
      ...stages.fields,
      context_parallel_degree: context,
      ...(context > 1 && { context_parallel_rotate_method: 'alltoall' }),
      ...(expert > 1 && {
        expert_parallel_degree: expert,
        expert_tensor_parallel_degree: 1,
        expert_parallel_comm_backend: plan.decision.dispatcher === 'deepep' ? 'deepep' : 'standard',
      }),
    },
    warnings: [
      ...warningIf(
        shards === 'optimizer',
        'ZeRO-1: torchtitan shards weights and gradients too, and keeps gathered weights until the backward pass',
      ),
      ...warningIf(shards === 'gradients', 'ZeRO-2: torchtitan shards weights too, and keeps gathered weights until the backward pass'),
      ...warningIf(
        shards === 'nothing' && context > 1,
        'torchtitan always shards weights, gradients and states over the ranks of context parallelism',
      ),
      ...warningIf(tensor > 1 && !sequenceParallel, 'torchtitan 0.2 always adds sequence parallelism to tensor parallelism'),
      ...warningIf(
        context > 1 && contextBy === 'all-to-all',
        'torchtitan passes keys and values around a ring; it has no all-to-all over heads',
      ),
      ...(stages.warnings ?? []),
      ...expertWarnings(plan),
    ],
    impossible: refusedDegrees(plan, replicas),
  }
}

function expertWarnings({ decision: { dispatcher, dispatchPrecision, expertOverlap } }: TrainingPlan): readonly string[] {
  return [
    ...warningIf(
      dispatcher === 'allgather' || dispatcher === 'hybridep',
      `dispatcher ${dispatcher}: torchtitan 0.2 has all-to-all ("standard") and deepep`,
    ),
    ...warningIf(dispatchPrecision === 'fp8', 'dispatchPrecision fp8: torchtitan 0.2 sends tokens in 16 bits'),
    ...warningIf(expertOverlap === true, 'expertOverlap: torchtitan 0.2 waits for the exchange with experts'),
  ]
}

/** What torchtitan 0.2 itself raises on: parallel_dims.py, and parallelize.py of its models. */
function refusedDegrees({ decision, sequence, model: shape }: TrainingPlan, replicas: number): readonly string[] {
  const { tensor, context, pipeline, expert, data, shards, shardGroup } = decision
  const shardDegree = data / replicas
  const divisor = 2 * tensor * context
  return [
    ...warningIf(
      Number.isInteger(replicas) && !Number.isInteger(shardDegree),
      `shards of ${shardGroup} ranks would be a data-parallel shard degree of ${shardDegree}: torchtitan shards over all of context ${context}, so set strategy.shardGroup to a multiple of it`,
    ),
    ...warningIf(
      shards === 'nothing' && data > 1 && context === 1 && tensor * pipeline > 1,
      'torchtitan replicates without sharding only where nothing else is parallel: set strategy.shards: weights',
    ),
    ...warningIf(
      sequence % divisor !== 0,
      `torchtitan divides a sequence by 2 x tensor x context = ${divisor}, which ${sequence} does not allow`,
    ),
    ...warningIf(
      expert > 1 && (shardDegree * context * tensor) % expert !== 0,
      `torchtitan places expert ${expert} within the ${shardDegree * context * tensor} ranks that shard together, which it does not divide`,
    ),
    ...warningIf(
      shape.kvHeads > 0 && shape.kvHeads % tensor !== 0,
      `torchtitan gives every rank whole key-value heads: tensor ${tensor} does not divide ${shape.kvHeads}`,
    ),
  ]
}

function pipelineFields(plan: TrainingPlan): Section {
  const { pipeline, schedule, microbatch } = plan.decision
  if (pipeline === 1) return { fields: {} }
  const { name, perRank } = SCHEDULES[schedule]
  const chunks = perRank === undefined ? chunksOf(plan.decision) : pipeline * perRank
  const division = stageDivision(plan.model.layers, chunks)
  return {
    fields: { pipeline_parallel_schedule: name, pipeline_parallel_microbatch_size: microbatch, ...division },
    warnings: [
      ...warningIf(perRank === 2, `${schedule}: written as ${name}, which folds two stages onto every rank`),
      ...warningIf(
        division === undefined,
        `torchtitan cannot divide ${plan.model.layers} layers into ${chunks} stages by a count: set module_fqns_per_model_part`,
      ),
    ],
  }
}

/** The number of layers that embedding and head each count as; torchtitan requires the rounded-up number of stages to match. */
function stageDivision(layers: number, chunks: number): Readonly<Record<string, number>> | undefined {
  for (const ends of [0, 1]) {
    const perStage = Math.ceil((layers + 2 * ends) / chunks)
    if (Math.ceil((layers + 2 * ends) / perStage) === chunks)
      return {
        pipeline_parallel_layers_per_stage: perStage,
        pipeline_parallel_first_stage_less_layers: ends,
        pipeline_parallel_last_stage_less_layers: ends,
      }
  }
  return undefined
}

function checkpointing({ decision: { recompute, recomputeModules } }: TrainingPlan): Section {
  return {
    fields: { mode: recompute, ...(recompute === 'selective' && { selective_ac_option: 'op' }) },
    warnings: warningIf(
      recompute === 'selective',
      `selective recomputation: torchtitan chooses by operator, not ${recomputeModules?.join(', ') ?? 'the attention core alone'}, so memory will differ`,
    ),
  }
}
