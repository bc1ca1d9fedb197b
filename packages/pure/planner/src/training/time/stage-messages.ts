// Messages between the stages of a pipeline.

import type { Strategy } from '../strategy.ts'

/** Messages of one microbatch that a stage waits for: one each way, and each chunk. */
export const stageMessages = ({ virtual }: Strategy): number => 2 * virtual
