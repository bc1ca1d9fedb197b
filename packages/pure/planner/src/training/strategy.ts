// How a training step is divided over devices. Rank order is Megatron's: tensor innermost, then context and expert, then data,
// pipeline outermost; the fabric model reads from it which links a group uses.

import type { TrainingDecision } from '@ironlaw/contracts'

/** What a plan decides, but for the precision, which belongs to the job. */
export type Strategy = Omit<TrainingDecision, 'precision'>

export type Shards = Strategy['shards']
export type Recompute = Strategy['recompute']
export type Schedule = Strategy['schedule']

export const devicesOf = ({ tensor, context, pipeline, data }: Strategy): number => tensor * context * pipeline * data

export const PLAIN: Strategy = {
  tensor: 1,
  sequenceParallel: false,
  context: 1,
  contextBy: 'ring',
  pipeline: 1,
  virtual: 1,
  schedule: '1f1b',
  expert: 1,
  data: 1,
  shards: 'nothing',
  microbatch: 1,
  recompute: 'none',
  optimizerOn: 'device',
}
