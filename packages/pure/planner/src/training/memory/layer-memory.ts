// What one device keeps of one layer: its share of the parameters, and the activations that wait for the backward pass.

import { type Group, groupParameters } from '@ironlaw/models'
import { type LocalGroup, type LocalOperator, localProduct } from '../time/local-operators.ts'
import type { Host } from '../../machine/host.ts'
import type { TrainingJob } from '../job.ts'
import { adapterCount, adapterElements, isQuantized } from './adapters.ts'
import { orthogonalizing } from './optimizer.ts'
import { droppedBytes } from './recompute-modules.ts'
import type { Runtime } from '../time/runtime.ts'
import type { Recompute, Strategy } from '../strategy.ts'

/** What decides memory apart from the strategy; every `Setup` is one. */
export type MemoryInputs = { readonly job: TrainingJob; readonly machine: { readonly runtime: Runtime; readonly host?: Host } }

export type LayerMemory = {
  /** Parameters of the whole group, undivided. */
  readonly parameters: number
  /** Elements on this device, replicated or sharded by tensor parallelism. */
  readonly dense: number
  /** Elements of routed experts on this device. */
  readonly routed: number
  /** Elements of one routed expert: the shape that all experts share. */
  readonly expertShape: number
  /** FLOP per step that Muon makes the updates of one layer with, those of its routed experts apart; 0 without. */
  readonly orthogonalizing: number
  readonly orthogonalizingRouted: number
  /** Elements of adapters; 0 without. */
  readonly adapters: number
  /** Bytes kept per microbatch under each way of recomputing. */
  readonly saved: Readonly<Record<Recompute, number>>
  /** What the backward pass of one layer needs beyond what is kept: gradients of its widest operator, or the layer built again. */
  readonly working: Readonly<Record<Recompute, number>>
}

export function layerMemory(
  { job, machine: { runtime } }: MemoryInputs,
  group: LocalGroup,
  { recomputeModules: modules }: Pick<Strategy, 'recomputeModules'>,
): LayerMemory {
  const whole = job.architecture.groups.find(({ name, stack }) => name === group.name && stack === group.stack)
  const sum = (measure: (local: LocalOperator) => number): number => group.operators.reduce((total, local) => total + measure(local), 0)
  const weights = (local: LocalOperator): number => local.operator.weightBytes / job.policy.weight / local.weightsBy
  const all = sum((local) => savedBytes(job, local)) + (job.loss === 'unfused' ? lossBytes(job, runtime, group) : 0)
  const scores = sum((local) => scoreBytes(job, local))
  const input = inputBytes(job, group)
  const dropped = scores + (modules ? sum((local) => droppedBytes(modules, local, savedBytes(job, local))) : 0)
  const selective = runtime.selectiveShare === 0 ? all - dropped : Math.min(all, input + keptOutputs(job, group))
  const { adapter } = job.policy
  const isMuon = job.policy.optimizer === 'muon'
  // A quantized weight is whole again while its product runs.
  const whole16 = (local: LocalOperator): number => (adapter && isQuantized(adapter, local) ? job.policy.activation * weights(local) : 0)
  const widest = Math.max(
    0,
    ...group.operators.map((local) => (local.operator.readBytes + local.operator.writtenBytes) / local.workBy + whole16(local)),
  )
  return {
    parameters: whole ? parametersOf(whole) : 0,
    dense: sum((local) => (local.expert ? 0 : weights(local))),
    routed: sum((local) => (local.expert ? weights(local) : 0)),
    expertShape: sum(({ operator }) => (operator.kind === 'grouped-gemm' ? operator.weightBytes / job.policy.weight / operator.groups : 0)),
    orthogonalizing: isMuon ? sum((local) => (local.expert ? 0 : orthogonalizing(local))) : 0,
    orthogonalizingRouted: isMuon ? sum((local) => (local.expert ? orthogonalizing(local) : 0)) : 0,
    adapters: adapter ? sum((local) => adapterElements({ adapter, per: runtime.adaptersPer }, local)) : 0,
    saved: { none: all, selective, full: Math.min(input, all) },
    working: { none: widest, selective: widest + all - selective, full: widest + all },
  }
}

/** Remembered: counting walks every tensor. */
const PARAMETERS = new WeakMap<Group, number>()

function parametersOf(group: Group): number {
  const counted = PARAMETERS.get(group) ?? groupParameters(group)
  PARAMETERS.set(group, counted)
  return counted
}

/** What an operator keeps. Cast down, the input of a product is a copy of its own, even where others keep the same tensor; routers are not cast. */
function savedBytes({ policy: { productInput, adapter } }: TrainingJob, local: LocalOperator): number {
  const { operator, savedBy, name } = local
  const isProduct = operator.kind === 'gemm' || operator.kind === 'grouped-gemm'
  // Without a gradient for the weights the input is not needed.
  if (adapter && isProduct && adapterCount({ adapter, per: 'product' }, local) === 0) return 0
  if (productInput === undefined || !isProduct || operator.stack !== 'decoder' || name.endsWith('router'))
    return operator.savedBytes / savedBy
  const rows = operator.kind === 'gemm' ? operator.m : operator.groups * operator.m
  return (rows * operator.k * productInput) / savedBy
}

/** What the loss holds in addition to the 16-bit logits, in the group that ends with it. */
function lossBytes({ policy }: TrainingJob, { unfusedLossBytes }: Runtime, { stack, operators }: LocalGroup): number {
  const last = operators.at(-1)
  if (stack !== 'output' || last?.operator.kind !== 'vector' || !last.name.endsWith('head.softmax')) return 0
  return (last.operator.savedBytes / last.savedBy / policy.activation) * unfusedLossBytes
}

/**
 * What torchtitan's selective recomputation keeps in addition to the input of a layer (`_save_list` in parallelize_llama.py at 2a44370):
 * outputs of attention, of every other product and of every reduce-scatter. Products come merged here (queries with keys and values, gate
 * with up), so every other one is half of all outputs.
 */
function keptOutputs({ policy }: TrainingJob, { operators }: LocalGroup): number {
  return operators.reduce((sum, local) => {
    const { operator, savedBy, weightsBy } = local
    if (operator.kind === 'attention')
      return sum + (operator.writtenBytes + 4 * operator.sequences * operator.heads * operator.queries) / savedBy
    if (operator.kind !== 'gemm') return sum
    const { m, n } = localProduct(operator, local)
    const scattered = operator.split === 'row' && weightsBy > 1 ? (m * n) / weightsBy : 0
    return sum + ((m * n) / 2 + scattered) * policy.activation
  }, 0)
}

/** Attention probabilities that an unfused kernel writes out; selective recomputation builds them again. */
function scoreBytes(job: TrainingJob, { operator, savedBy }: LocalOperator): number {
  if (operator.kind !== 'attention' || job.attention === 'flash') return 0
  const perScore = job.policy.activation + (job.dropout ? 1 + job.policy.activation : 0)
  return (operator.sequences * operator.heads * operator.queries * operator.keys * perScore) / savedBy
}

/** The residual stream at the door of a layer: what full recomputation starts from. */
function inputBytes(job: TrainingJob, group: LocalGroup): number {
  const first = group.operators[0]
  if (!first || !('rows' in first.operator) || !('width' in first.operator)) return 0
  return (first.operator.rows * job.architecture.width * job.policy.activation) / first.savedBy
}
