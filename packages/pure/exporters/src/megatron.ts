// Megatron-LM: arguments of `pretrain_gpt.py` as a bash array. Flag names and the conditions among them follow
// megatron/training/arguments.py and the configuration classes it reads, at NVIDIA/Megatron-LM d98e8a6 (2026-08-22).

import type { TrainingPlan } from '@ironlaw/contracts'
import { commentLines, type ExportedPlan, headLines, caveatLines, shellWord, warningIf } from './exported.ts'
import { runtimeWarnings, adapterProblems, deviceProblems, methodProblems } from './fitness.ts'
import { type Flag, flagsIf, type Flags, type FlagGroup } from './megatron-flags.ts'
import { expertFlags } from './megatron-experts.ts'
import { modelFlags } from './megatron-model.ts'
import { chunksOf, contradictions, replicasOf, samplesOf } from './plan-numbers.ts'

/** A flag and, where it takes one, its value. */

/** The arguments by heading, and what of the plan they do not carry. */
export type MegatronArguments = Pick<ExportedPlan, 'warnings' | 'impossible'> & {
  readonly parts: readonly (readonly [title: string, Flags])[]
  /**
   * Before Blackwell, tensor and context parallelism are refused without one hardware queue, and FSDP with it; exchanges that run beside other
   * passes want many.
   */
  readonly queues?: '1' | '32'
}

export function megatronArguments(plan: TrainingPlan): MegatronArguments {
  const parts: readonly (readonly [string, FlagGroup])[] = [
    ['model', modelFlags(plan)],
    ['batch', batch(plan)],
    ['parallelism', joinedGroups([split(plan), expertFlags(plan), pipeline(plan), sharding(plan)])],
    ['precision and memory', joinedGroups([precision(plan), memory(plan)])],
  ]
  return {
    parts: parts.map(([title, { flags }]) => [title, flags]),
    ...queuesOf(plan),
    warnings: [...runtimeWarnings(plan, 'megatron-core'), ...parts.flatMap(([, { warnings }]) => warnings ?? [])],
    impossible: [
      ...contradictions(plan),
      ...deviceProblems(plan, 'megatron-core'),
      ...adapterProblems(plan, 'megatron-core'),
      ...methodProblems(plan, 'megatron-core'),
      ...parts.flatMap(([, { impossible }]) => impossible ?? []),
    ],
  }
}

export function megatron(plan: TrainingPlan): ExportedPlan {
  const { parts, queues, warnings, impossible } = megatronArguments(plan)
  const lines = [
    ...commentLines([
      ...headLines(plan),
      'The plan decides neither data, tokenizer, learning rate nor rotary base: pass them after these arguments.',
      ...caveatLines({ warnings, impossible }),
    ]),
    queues === undefined ? 'unset CUDA_DEVICE_MAX_CONNECTIONS' : `export CUDA_DEVICE_MAX_CONNECTIONS=${queues}`,
    'MEGATRON_ARGS=(',
    ...parts.flatMap(([title, flags]) => [`  # ${title}`, ...flags.map((flag) => `  ${line(flag)}`)]),
    ')',
  ]
  return { text: `${lines.join('\n')}\n`, warnings, impossible }
}

const line = ([name, ...values]: Flag): string => [name, ...values.map((value) => shellWord(String(value)))].join(' ')

const joinedGroups = (parts: readonly FlagGroup[]): FlagGroup => ({
  flags: parts.flatMap(({ flags }) => flags),
  warnings: parts.flatMap(({ warnings }) => warnings ?? []),
  impossible: parts.flatMap(({ impossible }) => impossible ?? []),
})

const isFullySharded = ({ decision }: TrainingPlan): boolean => decision.shards === 'gradients' || decision.shards === 'weights'

function queuesOf(plan: TrainingPlan): Pick<MegatronArguments, 'queues'> {
  const { tensor, context, expertOverlap } = plan.decision
  if (isFullySharded(plan)) return {}
  if (expertOverlap === true) return { queues: '32' }
  return tensor > 1 || context > 1 ? { queues: '1' } : {}
}

const batch = (plan: TrainingPlan): FlagGroup => ({
  flags: [
    ['--seq-length', plan.sequence],
    ['--micro-batch-size', plan.decision.microbatch],
    ['--global-batch-size', plan.globalBatch],
    ['--train-samples', samplesOf(plan)],
    // Its dataset packs conversations and tells attention where each ends; it refuses to build a mask besides (`SFTDataset`).
    ...flagsIf(plan.packed === true, ['--sft'], ['--no-create-attention-mask-in-dataloader']),
  ],
  warnings: warningIf(plan.packed === false, 'documents padded to a sequence each: Megatron-LM packs them; set documents.packed: true'),
})

function split({ decision, runtime, sequence, model: { experts = 1 } }: TrainingPlan): FlagGroup {
  const { tensor, sequenceParallel, context, contextBy, expert } = decision
  return {
    flags: [
      ['--tensor-model-parallel-size', tensor],
      ...flagsIf(sequenceParallel && tensor > 1, ['--sequence-parallel']),
      // Only what sequence parallelism gathers and scatters can be overlapped.
      ...flagsIf(sequenceParallel && tensor > 1 && runtime?.overlapsTensor === true, ['--tp-comm-overlap']),
      ['--context-parallel-size', context],
      ...flagsIf(context > 1, ['--cp-comm-type', contextBy === 'ring' ? 'p2p' : 'a2a']),
      // Expert parallelism takes whole tensor groups in the plan's account of memory, where Megatron's default divides experts too.
      ...flagsIf(experts > 1, ['--expert-model-parallel-size', expert], ['--expert-tensor-parallel-size', 1]),
    ],
    impossible: [
      // `MoELayer.forward` raises in training.
      ...warningIf(
        experts > 1 && tensor > 1 && !sequenceParallel,
        'Megatron-LM trains experts under tensor parallelism only with sequence parallelism: set strategy.sequenceParallel: true',
      ),
      // Each rank takes a chunk from the front of a sequence and one from its end, so that causal attention is balanced.
      ...warningIf(
        context > 1 && sequence % (2 * context) !== 0,
        `Megatron-LM divides a sequence among context ${context} in ${2 * context} chunks, which a sequence of ${sequence} does not allow`,
      ),
    ],
  }
}

function pipeline({ decision, model: { layers } }: TrainingPlan): FlagGroup {
  const { pipeline: ranks, virtual, schedule } = decision
  const chunks = chunksOf(decision)
  const balanced = [0, 1, 2].find((ends) => (layers + ends) % chunks === 0)
  const interleaved = flagsIf(chunks > ranks, ['--num-virtual-stages-per-pipeline-rank', virtual])
  return {
    flags: [
      ['--pipeline-model-parallel-size', ranks],
      // A layout brings its own number of chunks and excludes every other way to divide layers.
      ...flagsIf(balanced === undefined, ['--pipeline-model-parallel-layout', layout(layers, chunks)]),
      ...flagsIf(balanced !== undefined, ...interleaved),
      ...flagsIf(balanced === 2, ['--account-for-embedding-in-pipeline-split']),
      ...flagsIf(balanced === 1 || balanced === 2, ['--account-for-loss-in-pipeline-split']),
    ],
    warnings: [
      ...warningIf(
        ranks > 1 && schedule !== '1f1b' && schedule !== 'interleaved',
        `Megatron-LM has no ${schedule} schedule: the pipeline will run 1F1B`,
      ),
      ...warningIf(
        balanced === 1 || balanced === 2,
        `${layers} layers do not divide by ${chunks}: Megatron-LM takes them from the ends of the pipeline, where the plan spreads them evenly`,
      ),
    ],
  }
}

/** Layers spread as evenly as they go, the first chunks taking the remainder; E is the embedding, L the loss. */
function layout(layers: number, chunks: number): string {
  const sizes = Array.from({ length: chunks }, (_, index) => Math.floor(layers / chunks) + (index < layers % chunks ? 1 : 0))
  return `E${sizes.map((size) => 't'.repeat(size)).join('|')}L`
}

const FSDP_STRATEGY = { nothing: 'no_shard', optimizer: 'optim', gradients: 'optim_grads', weights: 'optim_grads_params' } as const

function sharding(plan: TrainingPlan): FlagGroup {
  const { data, context, shards } = plan.decision
  const overlaps = data * context > 1 && plan.runtime?.overlapsData !== false
  const fsdp = isFullySharded(plan)
  const replicas = replicasOf(plan.decision)
  const divided = shards !== 'nothing'
  const forced = !divided && isPrecisionAware(plan)
  return {
    flags: [
      ...flagsIf(divided || forced, ['--use-distributed-optimizer']),
      ...flagsIf(
        fsdp,
        ['--use-megatron-fsdp'],
        ['--data-parallel-sharding-strategy', FSDP_STRATEGY[shards]],
        ['--ckpt-format', 'fsdp_dtensor'],
      ),
      ...flagsIf(divided && replicas > 1, ['--num-distributed-optimizer-instances', replicas]),
      ...flagsIf(overlaps, ['--overlap-grad-reduce']),
      ...flagsIf(overlaps && divided, ['--overlap-param-gather']),
    ],
    // Of a single rank the distributed optimizer divides nothing.
    warnings: warningIf(
      forced && data * context > 1,
      'Megatron-LM keeps states in 8 bits or on the host only with the distributed optimizer, which shards them: set strategy.shards: optimizer',
    ),
    impossible: shardingProblems(plan, replicas),
  }
}

/** Every copy of the sharded states holds whole groups of experts. */
function shardingProblems({ decision, model: { experts = 1 } }: TrainingPlan, replicas: number): readonly string[] {
  const { tensor, context, data, expert, shards } = decision
  const expertData = (tensor * context * data) / expert
  return warningIf(
    experts > 1 && shards !== 'nothing' && expertData % replicas !== 0,
    `Megatron-LM divides the ${expertData} copies of an expert by the ${replicas} copies of the shards, which is not a whole number`,
  )
}

/** States in 8 bits or on the host: Megatron-LM refuses both without the distributed optimizer (`get_megatron_optimizer`). */
const isPrecisionAware = ({ decision, optimizer }: TrainingPlan): boolean => optimizer === 'adam-8bit' || decision.optimizerOn !== 'device'

const BF16: Flags = [['--bf16']]

const PRECISIONS: Readonly<Record<string, FlagGroup>> = {
  fp32: { flags: [] },
  'bf16-mixed': { flags: BF16 },
  'fp16-mixed': { flags: [['--fp16']] },
  'bf16-gradients': { flags: [...BF16, ['--grad-reduce-in-bf16']] },
  'fsdp-mixed': {
    flags: BF16,
    warnings: ['precision fsdp-mixed: Megatron-LM keeps 16-bit weights beside the 32-bit ones, 2 bytes per parameter more'],
  },
  'bf16-pure': { flags: BF16, warnings: ['precision bf16-pure: Megatron-LM keeps 32-bit main weights and optimizer states'] },
  fp8: { flags: [...BF16, ['--fp8-format', 'hybrid']] },
  nvfp4: { flags: [...BF16, ['--fp4-format', 'e2m1'], ['--fp4-recipe', 'nvfp4']] },
}

function precision(plan: TrainingPlan): FlagGroup {
  const { decision, optimizer } = plan
  const name = decision.precision
  const known = Object.hasOwn(PRECISIONS, name) ? PRECISIONS[name] : undefined
  const { flags, warnings = [] } = known ?? { flags: BF16 }
  const offloaded = decision.optimizerOn !== 'device'
  return {
    flags: [
      ...flags,
      ...flagsIf(optimizer === 'adam-8bit', ['--exp-avg-dtype', 'fp8'], ['--exp-avg-sq-dtype', 'fp8']),
      ...flagsIf(optimizer === 'adam-8bit' && name === 'bf16-gradients', ['--main-grads-dtype', 'bf16']),
      ...flagsIf(optimizer === 'muon', ['--optimizer', 'muon']),
      ...flagsIf(isPrecisionAware(plan), ['--use-precision-aware-optimizer']),
      ...flagsIf(offloaded, ['--optimizer-cpu-offload']),
    ],
    warnings: [
      ...warnings,
      ...warningIf(
        decision.optimizerOn === 'nvme',
        'optimizer on NVMe: Megatron-LM offloads to host memory only; written as --optimizer-cpu-offload',
      ),
    ],
    impossible: [
      ...warningIf(
        optimizer === 'muon' && isFullySharded(plan),
        'Megatron-LM shares out the states of Muon, not gradients or weights: set strategy.shards: optimizer',
      ),
      ...warningIf(
        optimizer === 'muon' && offloaded,
        'Megatron-LM keeps the states of Muon on the device: set strategy.optimizerOn: device',
      ),
    ],
  }
}

function memory({ decision: { recompute, recomputeModules = ['core_attn'] } }: TrainingPlan): FlagGroup {
  switch (recompute) {
    case 'none':
      return { flags: [] }
    case 'selective':
      return {
        flags: [
          ['--recompute-granularity', 'selective'],
          ['--recompute-modules', ...recomputeModules],
        ],
      }
    case 'full':
      return {
        flags: [
          ['--recompute-granularity', 'full'],
          ['--recompute-method', 'uniform'],
          ['--recompute-num-layers', 1],
        ],
      }
  }
}
