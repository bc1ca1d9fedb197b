// How many microbatches wait on a stage for their backward pass at the worst moment, in units of the stage's whole depth.

import type { Strategy } from '../strategy.ts'

export function inFlight(
  { schedule, pipeline, virtual, expertOverlap }: Pick<Strategy, 'schedule' | 'pipeline' | 'virtual' | 'expertOverlap'>,
  stage: number,
  microbatches: number,
): number {
  // A pass beside the backward pass of another microbatch: one chunk more is under way (`schedules.py` of Megatron-Core).
  const beside = expertOverlap === true ? 1 : 0
  switch (schedule) {
    case 'gpipe':
      return microbatches
    case '1f1b':
    case 'zero-bubble':
      return Math.min(microbatches, pipeline - stage + beside)
    case 'interleaved': {
      // Megatron's warm-up: two chunks per later stage, and all but the last chunk of a full round.
      const chunks = 2 * (pipeline - stage - 1) + (virtual - 1) * pipeline + 1 + beside
      return Math.min(microbatches * virtual, chunks) / virtual
    }
    case 'dualpipe':
      // One more than stages, over both directions, and a rank holds a stage of each (DeepSeek-V3 report, 2024, table 2).
      return Math.min(microbatches, pipeline + 1) / 2
  }
}
