// How a training step is divided over devices. Rank order is Megatron's: tensor innermost, then context and expert, then data,
// pipeline outermost; the fabric model reads from it which links a group uses.

import { type TrainingDecision, UNDIVIDED } from '@ironlaw/contracts'

/** What a plan decides, but for the precision, which belongs to the job. */
export type Strategy = Omit<TrainingDecision, 'precision'>

export type Shards = Strategy['shards']
export type Recompute = Strategy['recompute']
export type Schedule = Strategy['schedule']

export const devicesOf = ({ tensor, context, pipeline, data }: Strategy): number => tensor * context * pipeline * data

export const PLAIN: Strategy = UNDIVIDED
