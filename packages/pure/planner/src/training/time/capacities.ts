// How full a training step keeps each resource of a device: arithmetic and memory averaged over all devices, links as the slowest stage holds
// them.

import type { Capacity, RecomputeModule } from '@ironlaw/contracts'
import { capacityOf } from '../../capacity.ts'
import { stageLoads, hostBytes } from '../memory/memory.ts'
import { runsAgain } from '../memory/recompute-modules.ts'
import type { Setup } from '../job.ts'
import { microbatchesOf } from '../search/microbatches.ts'
import { profileOf } from '../search/profile.ts'
import { isInput, isOutput, type Stage } from '../search/stages.ts'
import type { Strategy } from '../strategy.ts'
import { accumulatedBytes } from './layer-time.ts'
import { linkSeconds } from './link-time.ts'
import { type LocalOperator, localGroups } from './local-operators.ts'
import { offloadBytes, updateBytes } from './optimizer-time.ts'
import { stageTimes, type StageTime } from './step-time.ts'
import type { StepTime } from './timed-step.ts'

/** What the plan around a step knows: the published arithmetic of a device, its part of the step's, and its memory. */
export type DeviceUse = { readonly peak: number; readonly flops: number; readonly memory_bytes: number; readonly device_bytes: number }

export function trainingCapacities(
  setup: Setup,
  strategy: Strategy,
  { step, use }: { step: StepTime; use: DeviceUse },
): readonly Capacity[] {
  const { engine, fabric } = setup.machine
  const { link, port } = linkSeconds(setup, strategy, step)
  return [
    capacityOf('arithmetic', use.flops / step.total / use.peak, use.peak),
    capacityOf('memory bandwidth', movedBytes(setup, strategy) / step.total / engine.bandwidth, engine.bandwidth),
    capacityOf('memory', use.memory_bytes / use.device_bytes, use.device_bytes),
    ...(link > 0 ? [capacityOf('link', link / step.total, fabric.linkBandwidth)] : []),
    ...(port > 0 ? [capacityOf('port', port / step.total, fabric.portBandwidth)] : []),
    ...hostCapacities(setup, strategy, step),
  ]
}

/** Activations: forward once, backward for the input and for the weights; elementwise work backward reads the gradient as well. */
const PASSES = 3
/** Weights: read forward, and backward for the gradient of the input. */
const WEIGHT_PASSES = 2

/** Bytes between a device and its memory in one step, on the stage that moves most. */
function movedBytes(setup: Setup, strategy: Strategy): number {
  const groups = localGroups(setup.job, strategy)
  const microbatches = microbatchesOf(setup.job, strategy)
  const perMicrobatch = ({ layers, first, last }: Stage): number =>
    groups.reduce((sum, group, at) => {
      const count = (layers[at] ?? 0) + ((first && isInput(group)) || (last && isOutput(group)) ? 1 : 0)
      return count === 0 ? sum : sum + count * group.operators.reduce((bytes, local) => bytes + operatorBytes(setup, strategy, local), 0)
    }, 0)
  const stages = timedStages(setup, strategy)
  return Math.max(...stages.map(({ stage, time }) => microbatches * perMicrobatch(stage) + updateBytes(setup, strategy, time)))
}

/** What an operator moves in all passes over it: activations, weights in the precision of products, and the gradients that it adds to. */
function operatorBytes(setup: Setup, { recompute, recomputeModules = CORE }: Strategy, local: LocalOperator): number {
  const { job, machine } = setup
  const { operator, workBy, weightsBy } = local
  const again = recompute === 'full' || (recompute === 'selective' && byModule(setup) && runsAgain(recomputeModules, local)) ? 1 : 0
  const elements = operator.weightBytes / job.policy.weight / weightsBy
  const weight = machine.silicon.gemm[machine.curve]?.weightBytes ?? job.policy.activation
  const accumulated = isProduct(local) && !job.policy.adapter ? accumulatedBytes(job) * elements : 0
  const activations = ((PASSES + again) * (operator.readBytes + operator.writtenBytes)) / workBy
  return activations + (WEIGHT_PASSES + again) * weight * elements + accumulated
}

const CORE: readonly RecomputeModule[] = ['core_attn']

const byModule = ({ machine }: Setup): boolean => machine.runtime.selectiveShare === 0

const isProduct = ({ operator: { kind } }: LocalOperator): boolean => kind === 'gemm' || kind === 'grouped-gemm'

const timedStages = (setup: Setup, strategy: Strategy): readonly { readonly stage: Stage; readonly time: StageTime }[] =>
  stageTimes(setup, strategy, profileOf(setup, strategy))

function hostCapacities(setup: Setup, strategy: Strategy, step: StepTime): readonly Capacity[] {
  if (strategy.optimizerOn === 'device') return []
  const { host } = setup.machine
  const moved = timedStages(setup, strategy).map(({ time }) => offloadBytes(setup, strategy, time))
  const most = (way: 'down' | 'up' | 'driveRead' | 'driveWrite'): number => Math.max(...moved.map((bytes) => bytes[way]))
  const held = hostBytes(setup.job, strategy, stageLoads(setup.job, strategy, profileOf(setup, strategy).memories))
  const drive = most('driveRead') / host.driveRead + most('driveWrite') / host.driveWrite
  return [
    capacityOf('host link', Math.max(most('down'), most('up')) / step.total / host.linkBandwidth, host.linkBandwidth),
    ...(host.memory === undefined ? [] : [capacityOf('host memory', held / host.memory, host.memory)]),
    ...(drive > 0 ? [capacityOf('drive', drive / step.total, host.driveRead)] : []),
  ]
}
