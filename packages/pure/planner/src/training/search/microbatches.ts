import type { TrainingJob } from '../job.ts'
import type { Strategy } from '../strategy.ts'

/** Passes through the pipeline per optimizer step. */
export const microbatchesOf = (
  { globalBatch }: Pick<TrainingJob, 'globalBatch'>,
  { data, microbatch }: Pick<Strategy, 'data' | 'microbatch'>,
): number => Math.max(1, globalBatch / (data * microbatch))
