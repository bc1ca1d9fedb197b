// How a training step is divided over devices. Rank order is Megatron's: tensor innermost, then context and expert, then data,
// pipeline outermost; the fabric model reads from it which links a group uses.

import { type TrainingDecision, UNDIVIDED } from '@ironlaw/contracts'

/** What a plan decides, but for the precision, which belongs to the job. */
export type Strategy = Omit<TrainingDecision, 'precision'>

export type Shards = Strategy['shards']
export type Recompute = Strategy['recompute']
export type Schedule = Strategy['schedule']

export const devicesOf = ({ tensor, context, pipeline, data }: Strategy): number => tensor * context * pipeline * data

/** Ranks that hold the same parameters: dense ones, and routed experts, which expert parallelism has divided already. */
export const replicatedRanks = (strategy: Strategy): { readonly dense: number; readonly routed: number } => ({
  dense: strategy.data * strategy.context,
  routed: Math.max(1, devicesOf(strategy) / strategy.pipeline / strategy.expert),
})

/** Of those, how many divide states among themselves. */
export function shardingRanks(strategy: Strategy): { readonly dense: number; readonly routed: number } {
  const all = replicatedRanks(strategy)
  const group = strategy.shardGroup
  return group === undefined ? all : { dense: Math.min(group, all.dense), routed: Math.min(group, all.routed) }
}

export const PLAIN: Strategy = UNDIVIDED
