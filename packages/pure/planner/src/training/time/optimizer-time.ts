// The optimizer's step, where its states lie. On the device it is bound by memory. On the host (ZeRO-Offload, Ren et al. 2021) gradients go down
// while the last backward pass still runs; then the processor updates tile by tile, and finished tiles go up as the next are updated.
// From NVMe (ZeRO-Infinity, Rajbhandari et al. 2021) tiles are read, updated and written back in the same pipeline. Of a pipeline the slowest
// part counts.

import { vectorTime } from '../../machine/kernels.ts'
import type { Setup } from '../job.ts'
import { shardingRanks, type Strategy } from '../strategy.ts'

/** Elements of a stage on one device, and its backward pass of one microbatch. */
type UpdateInputs = {
  readonly elements: number
  readonly routed: number
  readonly backward: number
  readonly orthogonalizing: number
  readonly orthogonalizingRouted: number
}

/** Elements whose states this device answers for. */
function ownElements(strategy: Strategy, { elements, routed }: UpdateInputs): number {
  if (strategy.shards === 'nothing') return elements + routed
  const ranks = shardingRanks(strategy)
  return elements / ranks.dense + routed / ranks.routed
}

/** Adam reads and writes master and moments once; norms, clipping and the copy to working precision pass over gradients and weights. */
export const optimizerTime = (setup: Setup, strategy: Strategy, stage: UpdateInputs): number =>
  vectorTime(setup.machine.engine, updateBytes(setup, strategy, stage)) + orthogonalizingTime(setup, strategy, stage)

/** Ranks that share states each update whole matrices, as many as their share (Liu et al., Muon is Scalable for LLM Training, 2025). */
export function orthogonalizingTime(
  { machine: { engine, silicon } }: Setup,
  strategy: Strategy,
  { orthogonalizing, orthogonalizingRouted }: UpdateInputs,
): number {
  const form = silicon.gemm['bf16']
  if (orthogonalizing + orthogonalizingRouted === 0 || !form) return 0
  const ranks = strategy.shards === 'nothing' ? { dense: 1, routed: 1 } : shardingRanks(strategy)
  return (orthogonalizing / ranks.dense + orthogonalizingRouted / ranks.routed) / (engine.attentionPeak * form.compute)
}

export function updateBytes({ job: { policy } }: Setup, strategy: Strategy, stage: UpdateInputs): number {
  const whole = 3 * policy.gradient * (stage.elements + stage.routed)
  if (strategy.optimizerOn !== 'device') return whole
  const touched = 2 * (policy.master + policy.moments) + policy.gradient + policy.weight
  return ownElements(strategy, stage) * touched + whole
}

/** The ways that states off the device are bound, in seconds: none of them when they lie on it. */
export type OffloadTime = {
  /** Gradients to the host, beyond what the last backward pass hides. */
  readonly down: number
  readonly update: number
  readonly up: number
  readonly drive: number
}

type OffloadBytes = {
  readonly down: number
  readonly up: number
  readonly updated: number
  readonly driveRead: number
  readonly driveWrite: number
}

/** What a step moves where states lie off the device. */
export function offloadBytes({ job: { policy } }: Setup, strategy: Strategy, stage: UpdateInputs): OffloadBytes {
  const own = ownElements(strategy, stage)
  const states = own * (policy.master + policy.moments)
  const onDrive = strategy.optimizerOn === 'nvme' ? states : 0
  const [down, up] = [own * policy.gradient, own * policy.weight]
  return { down, up, updated: 2 * states + down + up, driveRead: onDrive, driveWrite: onDrive }
}

export function offloadParts(setup: Setup, strategy: Strategy, stage: UpdateInputs): OffloadTime {
  const { host, runtime } = setup.machine
  const { down, up, updated, driveRead, driveWrite } = offloadBytes(setup, strategy, stage)
  return {
    down: Math.max(0, down / host.linkBandwidth - stage.backward * runtime.gradientOverlap),
    update: updated / host.memoryBandwidth,
    up: up / host.linkBandwidth,
    drive: driveRead / host.driveRead + driveWrite / host.driveWrite,
  }
}

export function offloadTime(setup: Setup, strategy: Strategy, stage: UpdateInputs): number {
  if (strategy.optimizerOn === 'device') return 0
  const { down, update, up, drive } = offloadParts(setup, strategy, stage)
  return down + Math.max(update, up, drive)
}
