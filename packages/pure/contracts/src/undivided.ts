// The strategy that every other one is a change of.

import type { TrainingDecision } from './training-plan.ts'

/** Everything on one device: what a strategy starts from. */
export const UNDIVIDED: Omit<TrainingDecision, 'precision'> = {
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
