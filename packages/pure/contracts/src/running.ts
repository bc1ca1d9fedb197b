// What a training program says it runs with, in the words of a plan's decision. It comes as the detail of a note of kind `strategy`, so
// that control planes which do not know it keep it as an event. A program leaves out the fields that it does not know.

import * as z from 'zod'

const degree = z.int().positive().exactOptional()

export const REPORTED_STRATEGY = z
  .object({
    tensor: degree.describe('Tensor-parallel ranks'),
    context: degree.describe('Context-parallel ranks'),
    pipeline: degree.describe('Pipeline stages'),
    expert: degree.describe('Expert-parallel ranks'),
    data: degree.describe('Data-parallel ranks'),
    microbatch: degree.describe('Sequences per data-parallel rank and pass'),
    globalBatch: degree.describe('Sequences per optimizer step'),
    sequence: degree.describe('Tokens per sequence'),
    precision: z.string().max(40).exactOptional().describe('Name of a precision policy, or the type that products are computed in'),
    shards: z.string().max(40).exactOptional().describe('What data-parallel ranks divide: nothing, optimizer, gradients or weights'),
    recompute: z.string().max(40).exactOptional().describe('none, selective or full'),
  })
  .meta({ id: 'Running' })

export type ReportedStrategy = z.infer<typeof REPORTED_STRATEGY>

export const STRATEGY_FIELDS = Object.keys(REPORTED_STRATEGY.shape) as readonly (keyof ReportedStrategy)[]

/** The kind of the note, and of the event that is made of it. */
export const STRATEGY_EVENT = 'agent-strategy'
