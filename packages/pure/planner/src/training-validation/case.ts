// A published run as the planner would be asked for it. What the run does beyond what the planner can say is named in `beyond`: such
// rows are scored all the same, and the names help to read their errors.

import type { MachineChoice } from '../machine/machine-for.ts'
import { siliconOf } from '../machine/silicon.ts'
import type { TrainingJob } from '../training/job.ts'
import { POLICIES, type PrecisionPolicy } from '../training/memory/precision.ts'
import type { Runtime } from '../training/time/runtime.ts'
import { RUNTIMES } from '../training/time/runtimes.ts'
import { PLAIN, type Schedule, type Strategy } from '../training/strategy.ts'
import { architectureOf } from './published-model.ts'
import type { MemoryKind, Row, Timing, UsableRow } from './row.ts'
import { softwareOf } from './software.ts'

export type Split = 'calibration' | 'heldOut'

/** What the planner is asked: the job, its division and the machine. */
export type PredictionInputs = {
  readonly job: TrainingJob
  readonly strategy: Strategy
  readonly choice: MachineChoice
  /** Links inside a node that differ from the catalog's, in B/s per direction: export versions of a chip. */
  readonly linkBandwidth?: number
}

export type Case = PredictionInputs & {
  /** Of the device, where it is not the catalog's. */
  readonly memory_bytes?: number
  readonly id: string
  readonly source: string
  /** What was run: the same for runs that differ in their layout alone. */
  readonly question: string
  readonly split: Split
  readonly family: string
  readonly devices: number
  readonly measured: { readonly step_s: number; readonly memory?: { readonly bytes: number; readonly kind: MemoryKind } }
  /** A calibration row from which this one differs only in the number of microbatches. */
  readonly near?: string
  readonly beyond: readonly string[]
}

export type PublishedRow = UsableRow & Pick<Row, 'source'>

export function caseOf(row: PublishedRow, measured: Timing): Case {
  const { memory_bytes: bytes, memoryKind: kind } = measured
  return {
    ...predictionInputs(row),
    id: row.id,
    source: row.source,
    question: [row.source, row.model.name, row.gpu, row.gpus, row.sequence, row.precision, row.globalBatch].join(', '),
    // Nothing is fitted on silicon that borrows another's curve.
    split: row.split === 'calibration' && !siliconOf(row.gpu).borrowed ? 'calibration' : 'heldOut',
    family: row.model.family,
    devices: row.gpus,
    measured: { step_s: measured.step_s, ...(bytes !== undefined && kind !== undefined && { memory: { bytes, kind } }) },
    ...(row.near !== undefined && { near: row.near }),
    ...(row.hardware?.memory_bytes !== undefined && { memory_bytes: row.hardware.memory_bytes }),
    beyond: unmodeledSettings(row),
  }
}

export function predictionInputs(row: PublishedRow): PredictionInputs {
  const link = row.hardware?.link_bytes_per_s
  const job = jobOf(row)
  return { job, strategy: strategyOf(row), choice: choiceOf(row, job.policy), ...(link !== undefined && { linkBandwidth: link }) }
}

function jobOf(row: PublishedRow): TrainingJob {
  const { loss, dropout } = softwareOf(row)
  return {
    architecture: architectureOf(row),
    sequence: row.sequence,
    globalBatch: row.globalBatch,
    policy: policyOf(row),
    attention: row.attention,
    // BLOOM is trained by the same software as the others, without dropout.
    dropout: dropout && row.source !== 'bloom',
    loss,
    dummyGradients: hasDummyGradients(row),
  }
}

/** TransformerEngine 2.3 came in spring 2025: the containers from 25.09 on have it, those of MLPerf v5.0 do not. */
const hasDummyGradients = ({ runtime, year, id }: UsableRow): boolean =>
  runtime === 'megatron-bridge' || (runtime === 'megatron-core' && year >= 2025) || id.startsWith('mlp51')

const COMPUTE: Readonly<Partial<Record<UsableRow['precision'], PrecisionPolicy['compute']>>> = { fp8: 'fp8', mxfp8: 'fp8', nvfp4: 'fp4' }

function policyOf(row: UsableRow): PrecisionPolicy {
  const compute = (row.gpu.startsWith('a100') ? undefined : COMPUTE[row.precision]) ?? 'bf16'
  if (row.settings?.includes('lora-16')) return { ...POLICIES.lora, compute, adapter: { ...POLICIES.lora.adapter, targets: 'attention' } }
  if (row.precision === 'bf16-pure') return POLICIES['bf16-pure']
  const { states, reduced, gradient = 4 } = softwareOf(row)
  if (states === 'fsdp') return { ...POLICIES['fsdp-mixed'], compute, ...(reduced !== undefined && { reduced }) }
  if (compute === 'fp8') return { ...POLICIES.fp8, gradient }
  if (compute === 'fp4') return { ...POLICIES.nvfp4, gradient }
  if (states === 'deepspeed' && (gradient === 2 || row.precision === 'fp16')) return POLICIES['bf16-gradients']
  return { ...POLICIES['bf16-mixed'], gradient }
}

const strategyOf = (row: UsableRow): Strategy => ({
  ...PLAIN,
  tensor: row.tp,
  sequenceParallel: row.sp && row.tp > 1,
  context: row.cp,
  contextBy: row.settings?.includes('context-by-all-to-all') ? 'all-to-all' : 'ring',
  pipeline: row.pp,
  virtual: row.vpp,
  schedule: scheduleOf(row),
  expert: row.ep ?? 1,
  data: row.dp,
  shards: row.shards,
  ...(row.shardGroup !== undefined && { shardGroup: row.shardGroup }),
  microbatch: row.microbatch,
  recompute: row.recompute,
  ...(row.recomputeModules && { recomputeModules: row.recomputeModules }),
  ...(row.ep !== undefined && row.ep > 1 && expertsOf(row)),
})

const DISPATCHER_SETTINGS = { 'deep-ep': 'deepep', 'hybrid-ep': 'hybridep', 'all-to-all': 'alltoall' } as const

/** What the source, or the recipe that it names, says of the exchange with experts. */
function expertsOf({ settings = [] }: UsableRow): Pick<Strategy, 'dispatcher' | 'dispatchPrecision' | 'expertOverlap'> {
  const stated = Object.entries(DISPATCHER_SETTINGS).find(([setting]) => settings.includes(setting))
  return {
    dispatcher: stated?.[1] ?? 'alltoall',
    ...(settings.includes('fp8-dispatch') && { dispatchPrecision: 'fp8' }),
    ...(settings.includes('expert-overlap') && { expertOverlap: true }),
  }
}

const scheduleOf = ({ settings, vpp }: UsableRow): Schedule =>
  settings?.includes('dualpipe') ? 'dualpipe' : vpp > 1 ? 'interleaved' : '1f1b'

function choiceOf(row: UsableRow, policy: PrecisionPolicy): MachineChoice {
  const { bandwidth_bytes_per_s: bandwidth, power_w: power } = row.hardware ?? {}
  const { runtime: name, borrowed } = softwareOf(row)
  const runtime: Runtime = { ...RUNTIMES[name], ...(borrowed && { borrowed }) }
  return {
    accelerator: row.gpu,
    policy,
    runtime,
    perNode: linkedDevices(row),
    ...(row.link.port_bytes_per_s !== undefined && { portBandwidth: row.link.port_bytes_per_s }),
    ...(bandwidth !== undefined && { bandwidth }),
    ...(power !== undefined && { power }),
  }
}

/** Racks of 72 are filled by 64, as the sizes of the large runs show (2496 = 39 x 64, 5120 = 80 x 64). */
const USED_OF_RACK = 64

/** Devices that the fast links join: a node, a rack, or a TPU slice. */
function linkedDevices({ gpu, gpus, perNode = 8, link, shardGroup }: UsableRow): number {
  if (link.domain !== undefined) return Math.min(gpus, USED_OF_RACK)
  return gpu.startsWith('tpu') ? (shardGroup ?? gpus) : perNode
}

const UNMODELED_SETTINGS = [
  'parallel-block',
  'sliding-window',
  'light-end-stages',
  'capacity-1.25',
  'context-by-all-gather',
  'fp8-weights',
] as const

const unmodeledSettings = ({ settings = [], recomputeScope, model, pp }: UsableRow): string[] => [
  ...UNMODELED_SETTINGS.filter((name) => settings.includes(name)),
  ...(recomputeScope !== undefined && recomputeScope !== 'attention core' ? [`recompute: ${recomputeScope}`] : []),
  ...(model.predictionLayers === 1 ? ['a prediction module'] : []),
  ...(model.layers % pp === 0 ? [] : [`${model.layers} layers on ${pp} stages`]),
]
